import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { startWithoutStore } from "#tests/inspector/ingest/running-inspector.ts"
import { CHANGING_ROUTES } from "./changing-routes.ts"

const TOKEN = "correcthorsebatterystaple"

/** Every entry point that could read a body, besides the ingest endpoints (`before-authentication.test.ts`). */
const ENTRY_POINTS: readonly (readonly [method: string, path: string])[] = [
  ["POST", "/mcp"],
  ["POST", "/open"],
  ["PUT", "/contextlines"],
  ...CHANGING_ROUTES.map(({ method, path }) => [method, path] as const),
  ["POST", "/traces"],
  ["POST", "/monitoring"],
  ["POST", "/_next/image"],
  ["PUT", "/nowhere"],
]

/** The status line of the answer, once the server has closed the connection. No byte of the body is sent. */
async function answerTo(port: number, head: string): Promise<string> {
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  let received = ""
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()))
  socket.on("error", () => undefined)
  socket.write(head)
  await waitFor("an answer", () => received.includes("\r\n\r\n"))
  await waitFor("the end of the connection", () => socket.closed)
  return received.split("\r\n", 1)[0]!
}

test.each([
  ["", ""],
  [" that waits to be asked for its body", "expect: 100-continue\r\n"],
])("a request%s without the token is refused before a byte of its body has arrived", async (_what, header) => {
  const { port } = await startWithoutStore({ PAGESPAN_TOKEN: TOKEN })
  const lines = `host: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n${header}\r\n`
  await Promise.all(
    ENTRY_POINTS.map(async ([method, path]) => {
      const answer = await answerTo(port, `${method} ${path} HTTP/1.1\r\n${lines}`)
      expect([method, path, answer]).toStrictEqual([method, path, "HTTP/1.1 401 Unauthorized"])
    }),
  )
})
