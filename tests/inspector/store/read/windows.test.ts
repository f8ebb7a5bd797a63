import { beforeAll, expect, test } from "vitest"
import type { TraceListQuery } from "#otel/inspector/queries/list/trace-reader.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { ago, plus, service, span, spanId, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

/**
 * Lists of a store with more traces than a few windows hold: filters of every selectivity, with the first span that matches
 * early, late or long after the trace began, read in pages and in ranges of time.
 */

const store = storeOfFile()

const TRACES = 12_000
const STEP = 100_000_000n
const begin = ago(Number((BigInt(TRACES) * STEP) / 1_000_000n) + 3_600_000)
const at = (number: number) => plus(begin, BigInt(number) * STEP)

/** One trace in seven has a second span, and one in five of these has it after hundreds of other traces began. */
function spansOf(number: number): SpanRecord[] {
  const isLate = number % 35 === 0
  const rate = (one: number) => (number % one === 0 ? "yes" : "no")
  const root = span(number, number, {
    name: number % 900 === 1 ? "rare name" : "name",
    startTime: at(number),
    endTime: plus(at(number), number % 250 === 0 ? 900_000_000n : 1_000_000n),
    resource: service(number % 3 === 0 ? "web" : "api"),
    attributes: new Map([
      ["often", rate(2)],
      ["seldom", rate(600)],
    ]),
  })
  if (number % 7 !== 0) return [root]
  const startTime = isLate ? plus(at(number), 600n * STEP) : root.startTime
  const child = span(number, TRACES + number, {
    parentSpanId: spanId(number),
    startTime,
    endTime: plus(startTime, number % 490 === 0 ? 700_000_000n : 1_000n),
    resource: service("db"),
    attributes: new Map([
      ["child", rate(2)],
      ["late", rate(1_400)],
    ]),
  })
  return [root, child]
}

const traces = Array.from({ length: TRACES }, (_, index) => ({ number: index + 1, spans: spansOf(index + 1) }))

/** What each filter matches, computed here. */
const FILTERS: readonly (readonly [filter: string, matches: (spans: readonly SpanRecord[]) => boolean])[] = [
  ["often:yes", (spans) => spans.some(has("often", "yes"))],
  ["seldom:yes", (spans) => spans.some(has("seldom", "yes"))],
  ["late:yes", (spans) => spans.some(has("late", "yes"))],
  ["child:no", (spans) => spans.some(has("child", "no"))],
  ["child:yes often:no", (spans) => spans.some(has("child", "yes")) && spans.some(has("often", "no"))],
  ["service:db seldom:yes", (spans) => spans.some(isOf("db")) && spans.some(has("seldom", "yes"))],
  ["{-service:api} child:no", (spans) => spans.some((one) => !isOf("api")(one)) && spans.some(has("child", "no"))],
  ["{-service:api} seldom:yes", (spans) => spans.some((one) => !isOf("api")(one)) && spans.some(has("seldom", "yes"))],
  ["{-service:api} {duration>500ms}", (spans) => spans.some((one) => !isOf("api")(one)) && spans.some(isLong)],
  ["{duration>500ms}", (spans) => spans.some(isLong)],
  ["{duration>500ms} often:yes", (spans) => spans.some(isLong) && spans.some(has("often", "yes"))],
  ['span.name:"rare name"', (spans) => spans.some(({ name }) => name === "rare name")],
  ["-child:no", (spans) => !spans.some(has("child", "no"))],
  ["seldom:none", () => false],
]

function has(name: string, value: string): (one: SpanRecord) => boolean {
  return ({ attributes }) => attributes.get(name) === value
}

function isOf(name: string): (one: SpanRecord) => boolean {
  return ({ resource }) => resource.attributes.get("service.name") === name
}

function isLong({ startTime, endTime }: SpanRecord): boolean {
  return endTime - startTime > 500_000_000n
}

beforeAll(async () => {
  const spans = traces.flatMap((trace) => trace.spans)
  for (let from = 0; from < spans.length; from += 2_000)
    await store().insertSpans(spans.slice(from, from + 2_000), `spans from ${from}`)
})

async function listed(query: TraceListQuery, pages: number): Promise<string[]> {
  const ids: string[] = []
  let after: string | undefined
  for (let page = 0; page < pages; page++) {
    const { traces: found, next } = await store().listTraces({ ...query, ...(after !== undefined && { after }) })
    ids.push(...found.map((trace) => trace.traceId))
    if (next === undefined) break
    after = next
  }
  return ids
}

const RANGES = {
  "all of the time": {},
  "since a third": { since: at(TRACES / 3) },
  "until two thirds": { until: at((TRACES / 3) * 2) },
  "a tenth": { since: at(TRACES / 2), until: nanoseconds(at(TRACES / 2) + STEP * BigInt(TRACES / 10)) },
}

test.for(FILTERS)(
  "%s: the list has the newest traces that match, in pages and in ranges of time",
  async ([filter, matches]) => {
    const { tree } = parseFilter(filter)
    for (const range of Object.values(RANGES)) {
      const { since = 0n, until = at(TRACES * 2) } = range as { since?: bigint; until?: bigint }
      const expected = traces
        .filter(({ number, spans }) => at(number) >= since && at(number) < until && matches(spans))
        .map(({ number }) => traceId(number))
        .toReversed()
      for (const [limit, pages] of [
        [20, 3],
        [1_000, 2],
      ] as const)
        expect(await listed({ limit, filter: tree, ...range }, pages)).toEqual(expected.slice(0, limit * pages))
    }
  },
)
