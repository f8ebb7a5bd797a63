import { expect, onTestFinished, test } from "vitest"
import type { Random } from "#tests/protocol/otlp/random.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, replay } from "#tests/support/fuzz.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { mutate } from "#tests/inspector/ingest/mutate.ts"
import { CORPUS } from "./corpus.ts"
import { isExpected, send, startServer, TOKEN } from "./http-server.ts"

/** Sockets that are open at once, of which each input consists. */
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

test("streams that wait behind another one on their connection end with it", async () => {
  const { receiver, port } = await startServer()
  const request = `GET /live HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`
  const { socket } = send(port, request.repeat(3))
  await waitFor("the streams", () => receiver.liveFeed.subscriberCount === 3)
  socket.destroy()
  await waitFor("the end of all streams", () => receiver.liveFeed.subscriberCount === 0)
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

/** A client: what it sends, and what it does with its socket after some milliseconds. */
interface Sender {
  readonly bytes: Uint8Array
  readonly leave?: { readonly how: "end" | "destroy" | "pause"; readonly afterMs: number }
}

const SEEDS = CORPUS.map(([, bytes]) => bytes)

function sender(random: Random): Sender {
  const parts = random.list(4, () => (random.chance(0.5) ? generated(random) : random.pick(SEEDS)))
  const bytes = Buffer.from(parts.join("") || generated(random), "latin1")
  const other = Buffer.from(random.pick(SEEDS), "latin1")
  return {
    bytes: random.chance(0.3) ? bytes : mutate(random, bytes, other),
    ...(random.chance(0.2) && {
      leave: { how: random.pick(["end", "destroy", "pause"] as const), afterMs: random.below(100) },
    }),
  }
}

/** Sends all at once. Rejects if a status reports a failure, if another client is not served, or if something is left. */
async function runSenders(
  { receiver, port, isServed }: Awaited<ReturnType<typeof startServer>>,
  senders: readonly Sender[],
) {
  const clients = senders.map(({ bytes, leave }) => {
    const client = send(port, bytes)
    if (leave !== undefined) setTimeout(() => client.socket[leave.how](), leave.afterMs)
    return client
  })
  if (!(await isServed())) throw new Error("another client is not served")
  await new Promise((resolve) => setTimeout(resolve, 200))
  const statuses = clients.flatMap((client) => client.statuses())
  for (const { socket } of clients) socket.destroy()
  const failed = statuses.filter((status) => !isExpected(status))
  if (failed.length > 0) throw new Error(`answered ${failed.join(", ")}`)
  await waitFor("the end of all streams", () => receiver.liveFeed.subscriberCount === 0)
  await waitFor("the end of all bodies", () => receiver.bodies.reserved === 0)
  return statuses
}

test("connections that a fuzzer found are answered or refused, and others are served", async () => {
  const server = await startServer()
  const count = await replay<readonly Sender[]>({
    name: "http-framing",
    run: (senders) => runSenders(server, senders),
  })
  expect(count).toBeGreaterThan(0)
})

test(
  `broken HTTP/1.1 (seed ${FUZZ_SEED}) gets no status of a failure, leaves no socket and no memory, and others are served`,
  async () => {
    const server = await startServer()
    const { inputs, outcomes } = await fuzz<readonly Sender[]>({
      name: "http-framing",
      leastInputs: 6,
      generate: (random) => Array.from({ length: AT_ONCE }, () => sender(random)),
      run: (senders) => runSenders(server, senders),
    })
    for (const status of [200, 400, 401]) expect(outcomes.get(status)).toBeGreaterThan((inputs * AT_ONCE) / 100)
  },
  FUZZ_LIMIT_MS,
)
