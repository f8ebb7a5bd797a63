import { RandomIdGenerator } from "@opentelemetry/sdk-trace-base"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { parseBaggage } from "#otel/sdk/sentry/sampling-context.ts"
import { shouldSample } from "#otel/sdk/sentry/sampling.ts"
import { type AppUnderTest, buildApp, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const { generateTraceId } = new RandomIdGenerator()
const PARENT = "00f067aa0ba902b7"
const RATE = 0.5

let sentry: RecordingSentry
let collector: RecordingCollector

beforeAll(async () => {
  await buildApp("server")
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
})

afterAll(async () => {
  await sentry?.close()
  await collector?.close()
})

afterEach(() => {
  sentry.clear()
  collector.clear()
})

function start(environment: Record<string, string> = {}): Promise<AppUnderTest> {
  return startApp("server", {
    environment: {
      SENTRY_DSN: sentry.dsn,
      SENTRY_RELEASE: "shop@1.2.3",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "100",
      ...environment,
    },
  })
}

/** A trace whose id selects it, or does not. */
function traceId(isSelected: boolean): string {
  for (;;) {
    const id = generateTraceId()
    if (shouldSample(id, RATE) === isSelected) return id
  }
}

const headersOf = (id: string, flag: 0 | 1, baggage?: string) => ({
  traceparent: `00-${id}-${PARENT}-0${flag}`,
  "sentry-trace": `${id}-${PARENT}-${flag}`,
  ...(baggage === undefined ? {} : { baggage }),
})

async function get(app: AppUnderTest, path: string, headers: Record<string, string>): Promise<string> {
  return (await fetch(`${app.origin}${path}`, { headers })).text()
}

const tracesInSentry = () => new Set(sentry.transactions().map(({ contexts }) => String(contexts.trace.trace_id)))
const tracesInCollector = () => new Set(collector.spans().map(({ traceId }) => String(traceId)))
/** The sampling contexts of envelopes whose item is of this trace. The start of the server made a trace of its own. */
const samplingContexts = (type: string, id: string) =>
  sentry
    .items(type)
    .filter(({ payload }) => payload["contexts"].trace.trace_id === id)
    .map(({ envelope }) => envelope.header["trace"])
const metaOf = (html: string, name: string) => new RegExp(`name="${name}" content="([^"]*)"`).exec(html)?.[1] ?? ""

describe("a visitor's sampled flag", () => {
  const cases = ([true, false] as const).flatMap((isSelected) =>
    ([0, 1] as const).map((flag) => ({ id: traceId(isSelected), isSelected, flag })),
  )

  const isEverywhere = (id: string) => tracesInSentry().has(id) && tracesInCollector().has(id)
  const idsIn = (traces: ReadonlySet<string>) => cases.map(({ id }) => id).filter((id) => traces.has(id))

  /** Asks for a page in each of the traces. */
  async function sendAll(app: AppUnderTest): Promise<string[]> {
    const pages: string[] = []
    for (const { id, flag } of cases) pages.push(await get(app, "/nested/7", headersOf(id, flag)))
    return pages
  }

  test("decides nothing: only trace ids decide what is sent, and pages get the same decision", async () => {
    const app = await start({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: String(RATE) })
    try {
      const pages = await sendAll(app)
      const selected = cases.filter(({ isSelected }) => isSelected).map(({ id }) => id)
      await waitFor("the selected traces", () => selected.every(isEverywhere))
      // Sent after all others, and through the same queue.
      await get(app, "/api/fail/plain", headersOf(traceId(false), 1))
      await sentry.waitForError("of the last request", () => true)
      expect(idsIn(tracesInSentry())).toEqual(selected)
      expect(idsIn(tracesInCollector())).toEqual(selected)
      for (const [index, { id, isSelected }] of cases.entries()) {
        const html = pages[index] ?? ""
        const flag = isSelected ? 1 : 0
        expect(metaOf(html, "traceparent")).toMatch(new RegExp(`^00-${id}-\\w{16}-0${flag}$`))
        expect(metaOf(html, "sentry-trace")).toMatch(new RegExp(`^${id}-\\w{16}-${flag}$`))
        expect(parseBaggage(metaOf(html, "baggage"))).toMatchObject({ sampled: String(isSelected), sample_rate: "0.5" })
      }
    } finally {
      await app.stop()
    }
  })

  test("decides if a parentbased_ sampler is configured", async () => {
    const app = await start({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: String(RATE) })
    try {
      await sendAll(app)
      const flagged = cases.filter(({ flag }) => flag === 1).map(({ id }) => id)
      await waitFor("the flagged traces", () => flagged.every(isEverywhere))
      expect(idsIn(tracesInSentry())).toEqual(flagged)
      expect(idsIn(tracesInCollector())).toEqual(flagged)
    } finally {
      await app.stop()
    }
  })
})

describe("a visitor's baggage", () => {
  const FORGED =
    "sentry-environment=forged,sentry-release=forged%401,sentry-transaction=forged,sentry-sample_rate=0.0001,sentry-sample_rand=0.5,sentry-sampled=false,sentry-user_id=7"
  let app: AppUnderTest

  beforeAll(async () => {
    app = await start()
  })

  afterAll(() => app?.stop())

  test("adds nothing to the sampling context of transactions and errors", async () => {
    const id = traceId(true)
    const baggage = `sentry-trace_id=${id},sentry-public_key=${sentry.key},${FORGED}`
    const html = await get(app, "/nested/7", headersOf(id, 1, baggage))
    await get(app, "/api/fail/plain", headersOf(id, 1, baggage))
    await waitFor("both transactions", () => samplingContexts("transaction", id).length === 2)
    await sentry.waitForError("of the handler", () => true)
    const own = {
      trace_id: id,
      public_key: sentry.key,
      environment: "production",
      release: "shop@1.2.3",
      sampled: "true",
      sample_rate: "1",
      sample_rand: expect.stringMatching(/^0\.\d{6}$/),
    }
    expect([...samplingContexts("transaction", id), ...samplingContexts("event", id)]).toEqual([own, own, own])
    expect(JSON.stringify(sentry.envelopes())).not.toContain("forged")
    expect(metaOf(html, "baggage")).toContain("sentry-environment=production")
    expect(html).not.toContain("forged")
  })

  test("is accepted if it names a route of this app, so that page and server agree", async () => {
    const id = traceId(true)
    const baggage = `sentry-trace_id=${id},sentry-public_key=${sentry.key},sentry-transaction=%2Fnested%2F%5Bparam%5D`
    await get(app, "/api/say/message", headersOf(id, 1, baggage))
    await sentry.waitForTransaction("of the handler", ({ contexts }) => contexts.trace.trace_id === id)
    expect(samplingContexts("transaction", id)).toMatchObject([{ trace_id: id, transaction: "/nested/[param]" }])
  })

  test.each(["sentry-public_key=foreign", "sentry-org_id=4242", "sentry-org_id=4242,sentry-public_key=publickey"])(
    "of somebody else's Sentry, %s, begins a new trace",
    async (foreign) => {
      const id = traceId(true)
      const html = await get(app, "/nested/7", headersOf(id, 1, `sentry-trace_id=${id},${foreign},${FORGED}`))
      const transaction = await sentry.waitForTransaction(
        "of the page",
        (event) => event["transaction"] === "GET /nested/[param]",
      )
      expect(transaction["contexts"].trace.trace_id).not.toBe(id)
      expect(transaction["contexts"].trace).not.toHaveProperty("parent_span_id")
      expect(metaOf(html, "traceparent")).toContain(transaction["contexts"].trace.trace_id)
      const span = await collector.waitForSpan("of the page", ({ name }) => name === "GET /nested/[param]")
      expect(span.traceId).toBe(transaction["contexts"].trace.trace_id)
      expect(tracesInCollector()).not.toContain(id)
      expect(JSON.stringify(sentry.envelopes())).not.toMatch(/forged|foreign|org_id/)
    },
  )

  test("of somebody else's Sentry leaves proxy and page of one request in one trace", async () => {
    const id = traceId(true)
    await get(app, "/behind", headersOf(id, 1, `sentry-trace_id=${id},sentry-public_key=foreign`))
    await waitFor("proxy and page", () => sentry.transactions().length === 2)
    expect(tracesInSentry().size).toBe(1)
    expect(tracesInSentry()).not.toContain(id)
  })
})

describe("in a trace that is not sampled", () => {
  let app: AppUnderTest

  beforeAll(async () => {
    app = await start({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" })
  })

  afterAll(() => app?.stop())

  test.each([
    ["a route handler", "/api/fail/plain", "thrown in a route handler"],
    ["the proxy", "/behind?fail-in-proxy=1", "thrown in the proxy"],
    ["the app, by hand", "/api/say/exception", "captured by hand"],
  ])("an error of %s reaches Sentry on that trace, in this server's own context", async (_, path, message) => {
    const id = traceId(true)
    const baggage = `sentry-trace_id=${id},sentry-public_key=${sentry.key},sentry-environment=forged`
    await get(app, path, headersOf(id, 1, baggage))
    const error = await sentry.waitForError(message, (event) => event["exception"].values.at(-1).value === message)
    expect(error["contexts"].trace.trace_id).toBe(id)
    expect(samplingContexts("event", id)).toEqual([
      expect.objectContaining({ trace_id: id, environment: "production", sampled: "false", sample_rate: "0" }),
    ])
    expect([sentry.transactions(), collector.spans()]).toEqual([[], []])
  })

  test("an error has the requests that the server made before it", async () => {
    const upstream = `http://127.0.0.1:${sentry.port}/upstream`
    await get(app, `/api/say/exception?from=${encodeURIComponent(`${upstream}?token=hunter2`)}`, {})
    const error = await sentry.waitForError("by hand", () => true)
    expect(error["breadcrumbs"]).toMatchObject([{ category: "http", data: { method: "GET", url: upstream } }])
    const forwarded = sentry.requests.find(({ path }) => path.startsWith("/upstream"))
    expect(forwarded?.headers["traceparent"]).toMatch(new RegExp(`^00-${error["contexts"].trace.trace_id}-\\w{16}-00$`))
    expect(forwarded?.headers["sentry-trace"]).toMatch(/-0$/)
  })
})
