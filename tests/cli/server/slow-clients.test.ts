import type { RequestListener } from "node:http"
import { connect, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { listen } from "#otel/cli/server/listen.ts"
import { handlersFor, pathOf } from "#otel/cli/server/router.ts"
import { startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const SLOW = 500
const NORMAL = 100

/** A client that sends one byte at a time and never completes its request. */
function slowClient(port: number, beginning: string): Socket {
  const socket = connect(port, "127.0.0.1")
  // The server ends the connection.
  socket.on("error", () => undefined)
  socket.resume()
  socket.write(beginning)
  const drip = setInterval(() => socket.write("x"), 100)
  socket.on("close", () => clearInterval(drip))
  return socket
}

test("clients that send one byte at a time are disconnected, and other clients are served", async () => {
  const { receiver } = await startReceiver({ bodyDeadlineMs: 1_500 })
  const findHandler = handlersFor(receiver)
  const listener: RequestListener = (request, response) => findHandler(pathOf(request))?.(request, response)
  const { port, close } = await listen("127.0.0.1", 0, listener, {
    headersMs: 1_500,
    requestMs: 5_000,
    checkIntervalMs: 200,
    idleMs: 60_000,
  })
  onTestFinished(() => close())
  const line = "POST /v1/traces HTTP/1.1\r\nhost: localhost\r\n"
  const head = `${line}content-type: application/json\r\n`
  const beginnings = [
    "POST /v1/tra",
    `${line}x-slow: `,
    `${head}content-length: 100000\r\n\r\n{`,
    `${head}transfer-encoding: chunked\r\n\r\nfff\r\n{`,
  ]
  const slow = Array.from({ length: SLOW }, (_, index) => slowClient(port, beginnings[index % beginnings.length] ?? ""))
  onTestFinished(() => slow.forEach((socket) => socket.destroy()))
  await waitFor("the slow clients", () => slow.every(({ readyState }) => readyState === "open"))
  const answers = await Promise.all(
    Array.from({ length: NORMAL }, () =>
      fetch(`http://127.0.0.1:${port}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toStrictEqual(answers.map(() => 200))
  await waitFor(
    "the end of their connections",
    () => slow.every(({ destroyed, readyState }) => destroyed || readyState === "closed"),
    20_000,
  )
  expect(receiver.drops.totals()).toStrictEqual({ network_error: SLOW / 2 })
  expect(receiver.bodies.reserved).toBe(0)
})

test("clients that send nothing, or do not read their response, are disconnected", async () => {
  let hasGone = false
  const listener: RequestListener = (_request, response) => {
    response.on("close", () => (hasGone = true))
    const pump = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      response.once("drain", pump)
    }
    pump()
  }
  const timeouts = { headersMs: 300, requestMs: 300, checkIntervalMs: 100, idleMs: 500 }
  const { port, close } = await listen("127.0.0.1", 0, listener, timeouts)
  onTestFinished(() => close())
  const silent = connect(port, "127.0.0.1")
  const deaf = connect(port, "127.0.0.1")
  onTestFinished(() => [silent, deaf].forEach((socket) => socket.destroy()))
  silent.resume()
  deaf.pause()
  deaf.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
  await waitFor("the end of both connections", () => silent.closed && hasGone)
})
