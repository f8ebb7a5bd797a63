import { expect, test } from "vitest"
import { eventsOf } from "#otel/cli/commands/tail.ts"
import type { SpanId, TraceId } from "#otel/protocol/records/ids.ts"
import { CASES } from "#tests/inspector/search/cases.ts"
import type { Random } from "#tests/protocol/otlp/random.ts"
import { envelope, errorEvent, item, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, replay } from "#tests/support/fuzz.ts"
import { mutate } from "#tests/inspector/ingest/mutate.ts"
import { post, type ReceiverUnderTest, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecord } from "#tests/inspector/ingest/span-records.ts"

/** A reader of server-sent events, and what arrives while it reads, pauses and leaves. */
interface Reader {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  readonly leaves: "cancel" | "abort" | "at the end"
  /** Sizes of the pieces in which the bytes reach the parser. */
  readonly pieces: readonly number[]
}
type Step =
  | { readonly step: "spans"; readonly traces: readonly number[] }
  | { readonly step: "envelope"; readonly bytes: Uint8Array }
  | { readonly step: "read" }

const MARKER = 999_999
const IDS = ["", "x", "0190b6a0-0000-7000-8000-000000000000", "ffffffff", "\u00ff", "z".repeat(5_000)]
const NAMES = ["/cart", "a\nb", "data: {}\n\n", "\u2028", "\ud800", "event: traces", "", "\r"]

function generated(random: Random): Reader {
  const query = new URLSearchParams()
  const [filter] = random.pick(CASES)
  if (random.chance(0.5)) {
    const text = random.chance(0.7) ? filter : mutate(random, Buffer.from(filter), Buffer.from(random.pick(CASES)[0]))
    query.set("q", text.toString())
  }
  if (random.chance(0.2)) query.set("watches", random.pick(["also", "only", "x"]))
  if (random.chance(0.2)) query.set("base64", "1")
  const bytes = () =>
    envelope(
      { sdk: { name: random.pick(["sentry.cocoa", "sentry.javascript.react", "\n\ndata: x"]) } },
      random.pick([
        item("event", errorEvent({ message: random.pick(NAMES) })),
        item("transaction", transaction()),
        item("attachment", "a\n\nb", { length: 4 }),
        item("feedback", { text: random.pick(NAMES) }),
      ]),
    )
  const step = (): Step =>
    random.pick<() => Step>([
      () => ({ step: "spans", traces: random.list(40, () => random.below(60)) }),
      () => ({ step: "envelope", bytes: random.chance(0.7) ? bytes() : mutate(random, bytes(), bytes()) }),
      () => ({ step: "read" }),
    ])()
  return {
    path: `${random.pick(["/live", "/stream"])}?${query.toString()}`,
    headers: random.chance(0.3) ? { "last-event-id": random.pick(IDS) } : {},
    steps: random.list(8, step),
    leaves: random.pick(["cancel", "abort", "at the end", "at the end"]),
    pieces: Array.from({ length: 1 + random.below(5) }, () => 1 + random.below(200)),
  }
}

let spanCount = 0

/** Spans with new ids, one for each of the traces. */
function spansOf(traces: readonly number[], run: number) {
  return traces.map((trace) => {
    spanCount += 1
    const traceId = (run * 1_000_000 + trace + 1).toString(16).padStart(32, "0") as TraceId
    const spanId = spanCount.toString(16).padStart(16, "0") as SpanId
    return spanRecord(trace, { traceId, spanId, name: NAMES[trace % NAMES.length]! })
  })
}

let runs = 0

/** Rejects if the stream is not well-formed, misses what arrived, or stays open. */
async function follow({ receiver, sink }: ReceiverUnderTest, reader: Reader): Promise<readonly string[]> {
  const run = (runs += 1)
  const host = { host: "localhost:4318" }
  receiver.spotlight.clear(new Request("http://localhost:4318/clear", { method: "DELETE", headers: host }))
  sink.clear()
  const left = new AbortController()
  const headers = { ...host, ...reader.headers }
  const request = new Request(`http://localhost:4318${reader.path}`, { headers, signal: left.signal })
  const isLive = reader.path.startsWith("/live")
  const response = isLive ? receiver.live(request) : await receiver.stream(request)
  if (response.status >= 500) throw new Error(`answered ${response.status}`)
  if (response.status !== 200) return [String(response.status)]
  const body = response.body!.getReader()
  const chunks: Uint8Array[] = []
  const read = async () => {
    const { done, value } = await body.read()
    if (value !== undefined) chunks.push(value)
    return !done
  }
  const text = () => Buffer.concat(chunks).toString()
  let sent = 0
  for (const step of reader.steps)
    if (step.step === "read") await read()
    else if (step.step === "envelope") await receiver.envelope(post(step.bytes))
    else {
      await receiver.ingest({ spans: spansOf(step.traces, run) })
      sent += step.traces.length
    }
  if (reader.leaves === "at the end") {
    const marker = isLive ? (run * 1_000_000 + MARKER + 1).toString(16).padStart(32, "0") : `end of ${run}`
    await receiver.ingest({ spans: spansOf([MARKER], run) })
    await receiver.envelope(post(envelope({ marker }, item("feedback", {}))))
    const isPast = !isLive && reader.headers["last-event-id"] !== undefined
    const isOver = () =>
      text().includes(marker) ||
      (isLive && reader.path.includes("watches=only")) ||
      (isPast && text().includes("heartbeat"))
    while (!isOver()) if (!(await read())) throw new Error("the stream ended before its marker")
  }
  if (reader.leaves === "abort") {
    left.abort()
    while (await read());
  } else await body.cancel()
  // The signal of a `Request` that is garbage-collected does not abort: this keeps it.
  if (reader.leaves === "abort" && !request.signal.aborted) throw new Error("the request was not aborted")
  if (receiver.liveFeed.subscriberCount > 0) throw new Error("a subscriber is left")
  await verify(text(), reader, sent)
  return [`${isLive ? "live" : "stream"} ${reader.leaves}`]
}

/** Rejects if the text depends on the pieces in which it is read, or lacks one of the spans that were sent. */
async function verify(text: string, reader: Reader, sent: number): Promise<void> {
  const events = await parse(text, [text.length])
  expect(await parse(text, reader.pieces)).toStrictEqual(events)
  // An envelope has spans of its own. With a filter, a trace that begins to match is sent again, with all of its spans.
  const hasEnvelopes = reader.steps.some(({ step }) => step === "envelope")
  if (reader.leaves !== "at the end" || hasEnvelopes || !/^\/live(?!.*(?:watches=only|[?&]q=))/.test(reader.path))
    return
  const spans = events.flatMap(({ event, data }) => {
    const value = JSON.parse(data) as { spanCount: number }[]
    return event === "traces" || event === "others" ? value.map((trace) => trace.spanCount) : []
  })
  const arrived = spans.reduce((sum, count) => sum + count, 0)
  // The marker is one more.
  if (arrived !== sent + 1) throw new Error(`${arrived} of ${sent + 1} spans arrived`)
}

/** The events, as `pagespan tail` reads them, from pieces of these sizes. */
async function parse(text: string, sizes: readonly number[]): Promise<{ event?: string | undefined; data: string }[]> {
  const bytes = Buffer.from(text)
  let at = 0
  let turn = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      const size = sizes[turn++ % sizes.length] ?? 1
      controller.enqueue(bytes.subarray(at, (at += size)))
    },
  })
  const events: { event?: string | undefined; data: string }[] = []
  for await (const event of eventsOf(body)) events.push(event)
  return events
}

test("readers that a fuzzer found get well-formed events with all that arrived, and leave nothing", async () => {
  const started = await startReceiver({ heartbeatMs: 20 })
  expect(await replay<Reader>({ name: "streams", run: (reader) => follow(started, reader) })).toBeGreaterThan(0)
})

test(
  `generated readers (seed ${FUZZ_SEED}) get well-formed events with all that arrived, and leave nothing`,
  async () => {
    const started = await startReceiver({ heartbeatMs: 20 })
    const { outcomes } = await fuzz<Reader>({
      name: "streams",
      leastInputs: 100,
      seconds: 3,
      generate: generated,
      run: (reader) => follow(started, reader),
    })
    for (const outcome of ["live at the end", "live abort", "stream cancel"])
      expect(outcomes.get(outcome)).toBeGreaterThan(0)
  },
  FUZZ_LIMIT_MS,
)
