import { expect, onTestFinished, test } from "vitest"
import { Random } from "#tests/protocol/otlp/random.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startFuzz } from "../fuzz.ts"
import { mutate } from "../mutate.ts"
import { CORPUS } from "./corpus.ts"
import { isExpected, send, startServer, TOKEN } from "./http-server.ts"

const { seed: SEED, seconds: SECONDS, testLimitMs: TEST_LIMIT_MS } = startFuzz(process.env)
/** At least this many in any time. */
const LEAST_ROUNDS = 300
/** Sockets that are open at once. */
const AT_ONCE = 50

test("each request of the corpus is answered or refused, its socket is closed, and others are served", async () => {
  const { receiver, port, isServed } = await startServer()
  const clients = CORPUS.map(([name, bytes]) => ({ name, bytes, ...send(port, bytes) }))
  onTestFinished(() => clients.forEach(({ socket }) => socket.destroy()))
  expect(await isServed()).toBe(true)
  await waitFor("the end of all connections", () => clients.every(({ socket }) => socket.closed))
  for (const { name, bytes, statuses } of clients) {
    expect([name, statuses().filter((status) => !isExpected(status))]).toStrictEqual([name, []])
    // Only `/health` answers a client without the token.
    const isPublic = bytes.includes("/health")
    expect([name, isPublic ? [] : statuses().filter((status) => status < 400)]).toStrictEqual([name, []])
  }
  expect(receiver.bodies.reserved).toBe(0)
})

test("a client that waits with its body is asked for it once it may send it, and not before", async () => {
  const { port } = await startServer()
  const head =
    "POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n"
  const stranger = send(port, `${head}content-length: 2\r\n\r\n`)
  const known = send(port, `${head}authorization: Bearer ${TOKEN}\r\ncontent-length: 2\r\n\r\n`)
  onTestFinished(() => [stranger, known].forEach(({ socket }) => socket.destroy()))
  await waitFor("the refusal", () => stranger.statuses().length > 0)
  expect(stranger.statuses()).toStrictEqual([401])
  await waitFor("the question", () => known.statuses().length > 0)
  known.socket.write("{}")
  await waitFor("the answer", () => known.statuses().length > 1)
  expect(known.statuses()).toStrictEqual([100, 200])
})

const PATHS = [
  "/v1/traces",
  "/v1/logs",
  "/v1/metrics",
  "/stream",
  "/live",
  "/health",
  "/sign-in",
  "/open",
  "/contextlines",
]
const HEADERS = [
  "content-length: 2",
  "content-length: 7",
  "content-length: 70000",
  "transfer-encoding: chunked",
  "transfer-encoding: gzip, chunked",
  "expect: 100-continue",
  "connection: keep-alive, upgrade",
  "connection: close",
  "upgrade: websocket",
  "content-encoding: gzip",
  "content-type: application/json",
  "content-type: application/x-protobuf",
  "accept: text/html",
  "origin: null",
  "cookie: pagespan_session=0",
  "x-sentry-auth: Sentry sentry_key=x",
  `authorization: Bearer ${TOKEN}`,
  `authorization: Bearer ${TOKEN}`,
  "last-event-id: x",
]
const BODIES = [
  "",
  "{}",
  '{"dsn":"http://x@localhost/1"}\n{}\n',
  "2\r\n{}\r\n0\r\n\r\n",
  "5;a\r\n",
  "token=x&next=//y",
  "\x1f\x8b\x08",
]

function generated(random: Random): string {
  const method = random.pick(["GET", "POST", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
  const path = random.pick([...PATHS, "/api/1/envelope/", "/api/1/store/", "/api/1/integration/otlp/v1/logs"])
  const headers = random.list(6, () => random.pick(HEADERS))
  return [`${method} ${path} HTTP/1.1`, "host: localhost", ...headers, "", random.pick(BODIES)].join("\r\n")
}

test(
  `broken HTTP/1.1 (seed ${SEED}) gets no status of a failure, leaves no socket and no memory, and others are served`,
  async () => {
    const { receiver, port, isServed } = await startServer()
    const random = new Random(SEED)
    const counts = new Map<number, number>()
    const seeds = CORPUS.map(([, bytes]) => bytes)
    const end = performance.now() + SECONDS * 1_000
    let round = 0
    while (round < LEAST_ROUNDS || performance.now() < end) {
      const clients = Array.from({ length: AT_ONCE }, () => {
        const parts = random.list(4, () => (random.chance(0.5) ? generated(random) : random.pick(seeds)))
        const bytes = Buffer.from(parts.join("") || generated(random), "latin1")
        const other = Buffer.from(random.pick(seeds), "latin1")
        const client = send(port, random.chance(0.3) ? bytes : mutate(random, bytes, other))
        const leave = random.pick([
          () => client.socket.end(),
          () => client.socket.destroy(),
          () => client.socket.pause(),
          () => undefined,
        ])
        if (random.chance(0.3)) setTimeout(leave, random.below(100))
        return client
      })
      expect(await isServed()).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, 200))
      for (const { socket, statuses } of clients) {
        for (const status of statuses()) counts.set(status, (counts.get(status) ?? 0) + 1)
        socket.destroy()
      }
      round += AT_ONCE
    }
    console.log(`seed ${SEED}, ${round} connections`, Object.fromEntries(counts))
    expect([...counts.keys()].filter((status) => !isExpected(status))).toStrictEqual([])
    for (const status of [200, 400, 401]) expect(counts.get(status)).toBeGreaterThan(round / 100)
    await waitFor("the end of all streams", () => receiver.liveFeed.subscriberCount === 0)
    await waitFor("the end of all bodies", () => receiver.bodies.reserved === 0)
  },
  TEST_LIMIT_MS,
)
