import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { startWithoutStore } from "#tests/inspector/ingest/running-inspector.ts"
import { CHANGING_ROUTES } from "./changing-routes.ts"

const TOKEN = "correcthorsebatterystaple"

/** Every entry point that could read a body, besides the ingest endpoints (`before-authentication.test.ts`). */
const ENTRY_POINTS = [
  ["POST", "/mcp"],
  ["POST", "/open"],
  ["PUT", "/contextlines"],
  ...CHANGING_ROUTES.map(({ method, path }) => [method, path] as const),
  ["POST", "/traces"],
  ["POST", "/monitoring"],
  ["POST", "/_next/image"],
  ["PUT", "/nowhere"],
] as const

const HEADS = [
  ["", ""],
  [" that waits to be asked for it", "expect: 100-continue\r\n"],
] as const

test.each(
  ENTRY_POINTS.flatMap(([method, path]) => HEADS.map(([what, header]) => [method, path, what, header] as const)),
)("%s %s without the token is refused before a byte of its body has arrived%s", async (method, path, _what, header) => {
  const { port } = await startWithoutStore({ PAGESPAN_TOKEN: TOKEN })
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  let received = ""
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()))
  socket.on("error", () => undefined)
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n${header}\r\n`,
  )
  await waitFor("an answer", () => received.includes("\r\n\r\n"))
  expect(received.split("\r\n", 1)).toStrictEqual(["HTTP/1.1 401 Unauthorized"])
  await waitFor("the end of the connection", () => socket.closed)
})
