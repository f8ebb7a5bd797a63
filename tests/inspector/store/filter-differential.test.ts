import { expect, test } from "vitest"
import { attributeText, quoteIfNeeded, termText } from "#otel/inspector/search/edit.ts"
import { type FilterTree, matchesTrace, parseFilter } from "#otel/inspector/search/index.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { SPAN_KINDS, type SpanRecord, STATUS_CODES } from "#otel/protocol/records/span.ts"
import { Random } from "#tests/protocol/otlp/random.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, replay } from "#tests/support/fuzz.ts"
import { CASES } from "../search/cases.ts"
import { error } from "./events.ts"
import { ago, plus, span, spanId, traceId } from "./spans.ts"
import { storeOfFile } from "./stores.ts"

/** The filter language runs over records in memory, for live views, and in the store. Both must give the same traces. */

const store = storeOfFile()
const TRACES = 60
/** Filters that are compared on the same traces. */
const FILTERS = 100
const MS = 1_000_000n

/** Texts that would end a literal, a statement or a placeholder, if a filter became part of the SQL. */
const HOSTILE = [
  "'",
  "' OR 1=1 --",
  "'; DROP TABLE otel_traces; --",
  "') UNION ALL SELECT 1 --",
  "\\'",
  "\\",
  "\\\\' OR '1'='1",
  "`; SELECT 1",
  '"; SELECT 1',
  "{filter:String}",
  "{p0:String}",
  "${1}",
  "%",
  "%' OR '%'='",
  "_",
  "/* */ SELECT sleep(3)",
  "-- x\nSELECT 1",
  "unhex('27')",
  "\u0000",
  "\u02bc\uff07",
]

const NAMES = [
  ...HOSTILE,
  "/cart",
  "/traces/[traceId]",
  "prefetch /cart",
  "SELECT orders",
  "ÜBERMITTLUNG Σ",
  "",
  "100%_sure",
  "a*b",
  "x\ny",
]
const SERVICES = ["web", "api", "db", "Worker-1", "WEB"]
const KEYS = [
  ...HOSTILE,
  "http.route",
  "http.status_code",
  "http.response.status_code",
  "db.statement",
  "db.query.text",
  "list",
  'weird "key"',
  "deployment.environment",
  "page.weight",
]
const VALUES: readonly AttributeValue[] = [
  ...HOSTILE,
  "/cart",
  "/c*t",
  "5xx",
  "503",
  503n,
  200n,
  204n,
  1.5,
  -0,
  1e21,
  true,
  false,
  "",
  "\\ back",
  "orders*new",
  "Σ",
  "ß",
  ["a", "b"],
  9_007_199_254_740_993n,
  "NaN",
  "1e3",
  " 5 ",
]

function attributes(random: Random): ReadonlyMap<string, AttributeValue> {
  return new Map(random.list(4, () => [random.pick(KEYS), random.pick(VALUES)]))
}

function generatedTrace(random: Random, trace: number, start: SpanRecord["startTime"]): SpanRecord[] {
  return Array.from({ length: 1 + random.below(5) }, (_, index) => {
    const startTime = plus(start, BigInt(index) * MS)
    const isRoot = index === 0 ? random.chance(0.8) : false
    return span(trace, trace * 10 + index + 1, {
      startTime,
      endTime: plus(startTime, BigInt(random.pick([0, 5, 80, 500, 900])) * MS + BigInt(random.below(3))),
      parentSpanId: isRoot ? undefined : spanId(trace * 10 + 1 + random.below(9)),
      name: random.pick(NAMES),
      kind: random.pick(SPAN_KINDS),
      status: { code: random.pick(STATUS_CODES), message: random.pick(["", "Upstream TIMED out", "orders"]) },
      source: random.pick(["otlp", "sentry"]),
      attributes: attributes(random),
      resource: {
        attributes: new Map([...attributes(random), ["service.name", random.pick(SERVICES)]]),
        schemaUrl: "",
      },
      events: random.list(2, () => ({ time: startTime, name: "exception", attributes: attributes(random) })),
    })
  })
}

function generatedTerm(random: Random): string {
  const value = () =>
    random.pick([
      "/cart",
      "*",
      "5xx",
      "503",
      ">=200",
      "200..600",
      "*orders*",
      '""',
      '"5xx"',
      "true",
      "1.5",
      "Σ",
      "ß",
      "(a OR 503)",
    ])
  const pick = () =>
    random.pick([
      () => random.pick(CASES)[0] || "*",
      () =>
        `${random.pick(["http.status_code", "http.route", "db.query.text", "page.weight", "list", "route", "env"])}:${value()}`,
      () =>
        `${random.pick(["name", "service", "message", "span.name", "root.service"])}${random.pick([":", "=", "!="])}${random.pick(["web", "/cart", "*a*", "übermittlung", '""', "select"])}`,
      () =>
        `${random.pick(["duration", "span.duration", "root.duration"])}${random.pick([">", "<", ">=", "<=", ":"])}${random.pick(["80ms", "500ms", "0ms", "5ms..900ms"])}`,
      () => `missing${random.pick([":", "!="])}${random.pick(["root", "parent", "(root OR parent)"])}`,
      () => `${random.pick(["spans", "errors"])}${random.pick([">", "<=", ":", "!="])}${random.below(4)}`,
      () => random.pick(["cart", "Σ", "select", "100%_sure", "a*b", "5xx"]),
      () => attributeText(random.pick([...HOSTILE, "list", "route"]), random.pick(HOSTILE)),
      () => termText(random.pick(["name", "service", "message", "span.name"]), random.pick(HOSTILE)),
      () => `name:${quoteIfNeeded(random.pick(HOSTILE))}*`,
    ])()
  return random.chance(0.2) ? `-${pick()}` : pick()
}

function generatedFilter(random: Random, depth = 2): string {
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    if (depth === 0 || random.chance(0.6)) return generatedTerm(random)
    const inner = generatedFilter(random, depth - 1)
    return random.pick([`(${inner})`, `-(${inner})`, `{${inner}}`, `NOT (${inner})`])
  })
  return parts.join(random.pick([" ", " AND ", " OR "]))
}

interface Comparison {
  /** Seed of the traces. */
  readonly traces: number
  readonly filter: string
}

interface Trace {
  readonly spans: readonly SpanRecord[]
  /** Errors that were reported in it. */
  readonly errorCount: number
}

let loaded: { readonly seed: number; readonly traces: readonly Trace[] } | undefined
let loads = 0

/** Replaces the traces in the store by those of a seed. */
async function load(seed: number): Promise<readonly Trace[]> {
  if (loaded?.seed === seed) return loaded.traces
  const random = new Random(seed)
  const first = ago(600_000)
  const traces = Array.from({ length: TRACES }, (_, index) => ({
    spans: generatedTrace(random, index + 1, plus(first, BigInt(index) * 1_000n * MS)),
    errorCount: random.pick([0, 0, 1, 2, 3]),
  }))
  loaded = undefined
  await store().clear()
  await store().insertSpans(
    traces.flatMap(({ spans }) => spans),
    `generated ${(loads += 1)}`,
  )
  const errors = traces.flatMap(({ errorCount }, index) =>
    Array.from({ length: errorCount }, (_, id) =>
      error(1, 10 * index + id, { traceId: traceId(index + 1), time: plus(first, BigInt(index) * 1_000n * MS) }),
    ),
  )
  await store().insertErrors(errors, `generated errors ${loads}`)
  loaded = { seed, traces }
  return traces
}

function treeOf(filter: string): FilterTree | undefined {
  const { tree, problem } = parseFilter(filter)
  return problem === undefined ? tree : undefined
}

/** Rejects if memory and store give different traces. */
async function compare({ traces: seed, filter }: Comparison): Promise<readonly string[]> {
  const traces = await load(seed)
  const tree = treeOf(filter)
  if (tree === undefined) throw new Error(`${filter} is no filter`)
  const matching = traces.filter(({ spans, errorCount }) => matchesTrace(tree, spans, errorCount))
  const expected = matching.map(({ spans: [first] }) => first!.traceId)
  const { traces: found } = await store().listTraces({ limit: TRACES + 1, filter: tree })
  expect([filter, found.map(({ traceId }) => traceId).toSorted()]).toStrictEqual([filter, expected.toSorted()])
  return [expected.length === 0 ? "none" : expected.length === TRACES ? "all" : "some"]
}

test("filters that a fuzzer found give the same traces in memory and in the store", async () => {
  expect(await replay<Comparison>({ name: "filters", run: compare })).toBeGreaterThan(0)
})

test(
  `generated filters (seed ${FUZZ_SEED}) give the same generated traces in memory and in the store`,
  async () => {
    let count = 0
    let traces = 0
    const { inputs, outcomes } = await fuzz<Comparison>({
      name: "filters",
      leastInputs: 40,
      seconds: 0,
      generate(random) {
        if (count++ % FILTERS === 0) traces = random.below(2 ** 31)
        for (;;) {
          const filter = generatedFilter(random)
          // Some terms may not stand between braces.
          if (treeOf(filter) !== undefined) return { traces, filter }
        }
      },
      run: compare,
    })
    expect(outcomes.get("some")).toBeGreaterThan(inputs / 3)
  },
  FUZZ_LIMIT_MS,
)
