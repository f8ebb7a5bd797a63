import { once } from "node:events"
import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { listenForSpans } from "#otel/cli/doctor/span-listener.ts"

test("an app that ends in the middle of its request does not end the command", async () => {
  const listener = await listenForSpans()
  onTestFinished(() => listener.stop())
  const socket = connect(Number(new URL(listener.url).port), "127.0.0.1")
  await once(socket, "connect")
  socket.write("POST /v1/traces HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{")
  await new Promise((done) => setTimeout(done, 50))
  socket.destroy()
  await once(socket, "close")
  // A rejection that nobody handles would fail the test.
  const response = await fetch(`${listener.url}/v1/traces`, { method: "POST", body: "{}" })
  expect(response.status).toBe(200)
})
