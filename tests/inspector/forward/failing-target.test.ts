import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { describe, expect, test } from "vitest"
import { createForwarder } from "#otel/inspector/forward/forwarder.ts"
import { secret } from "#otel/protocol/secret.ts"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { A, answered, forwarder, spans } from "./forwarder-under-test.ts"

const TEN_MINUTES_MS = 600_000
/** The maximum wait, minus its jitter of a quarter. */
const LEAST_WAIT_MS = 30_000 * 0.75

test("while its targets fail for ten minutes, the forwarder sends no faster, drops nothing and adds nothing", async () => {
  const forwarding = await forwarder({ otlp: [A], sentry: secret("https://key@sentry.example/1") }, () => answered(503))
  const begun = forwarding.tick(0)
  forwarding.offer({ spans: spans(3) })
  await waitFor("ten minutes", () => forwarding.tick(0) - begun > 2 * TEN_MINUTES_MS)
  // Both destinations share one clock, so this is ten minutes for each.
  const isLong = (wait: number) => wait >= LEAST_WAIT_MS
  expect(forwarding.waits.findLastIndex((wait) => !isLong(wait))).toBeLessThan(20)
  expect(forwarding.waits.filter(isLong).length).toBeGreaterThan(30)
  expect(forwarding.sent.length).toBeLessThanOrEqual(forwarding.waits.length + 2)
  expect(forwarding.drops).toEqual([])
  expect(forwarding.waiting()).toHaveLength(2)
  expect(new Set(forwarding.sent.map(({ body }) => String(body))).size).toBe(1)
})

describe("if one of two collectors", () => {
  const BATCHES = 50

  test.each<[string, string, (server: Server) => void, string[]]>([
    ["is down", "http", (server) => server.close(), []],
    [
      "accepts requests and never responds",
      "http",
      (server) => server.on("connection", (socket) => socket.resume()),
      [],
    ],
    ["responds with one byte per second", "http", (server) => server.on("connection", drip), []],
    ["fails at TLS", "https", (server) => server.on("connection", (socket) => socket.end("no TLS here\n")), []],
    ["refuses permanently", "http", (server) => server.on("connection", refuse), ["send_error/span=1"]],
  ])("%s, the other gets everything, and only the failing one has drops", async (what, scheme, fail, dropped) => {
    const healthy = await new RecordingServer().listen()
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
    const sockets = new Set<Socket>()
    server.on("connection", (socket) => sockets.add(socket.on("error", () => undefined)))
    fail(server)
    const drops: string[] = []
    const forwarding = createForwarder({
      otlp: [address, `http://127.0.0.1:${healthy.port}`],
      sentry: undefined,
      allowedAddresses: ["127.0.0.1"],
      directory: await temporaryDirectory(),
      recordDrop: (reason, category, count) => drops.push(`${reason}/${category}=${count}`),
    })
    const delays: number[] = []
    for (let batch = 1; batch <= BATCHES; batch++) {
      const offered = performance.now()
      forwarding.offer({ spans: spans(1) })
      await waitFor(`batch ${batch} at the healthy one`, () => healthy.requests.length === batch)
      delays.push(performance.now() - offered)
    }
    console.info(`${what}: ${Math.max(...delays).toFixed(0)} ms at most, to the healthy one`)
    expect([...new Set(drops)]).toEqual(dropped)
    for (const socket of sockets) socket.destroy()
    server.close()
    await forwarding.close()
    await healthy.close()
  })
})

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write("H"), 1_000)
  socket.on("close", () => clearInterval(timer))
}

function refuse(socket: Socket): void {
  socket.on("data", () =>
    socket.end("HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
  )
}
