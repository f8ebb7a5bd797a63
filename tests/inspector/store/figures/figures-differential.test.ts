import { expect, test } from "vitest"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { ROUTE_KINDS } from "#otel/inspector/queries/routes/route-reader.ts"
import { stepsOf } from "#otel/inspector/queries/list/time-range.ts"
import { timeSteps } from "#otel/inspector/queries/list/trace-overview.ts"
import { Random } from "#tests/protocol/otlp/random.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED } from "#tests/support/fuzz.ts"
import { ago, plus } from "../spans.ts"
import { storeOfFile } from "../stores.ts"
import { expectedChildren } from "./expected-children.ts"
import {
  expectedIssues,
  expectedOverview,
  expectedRoutes,
  expectedServices,
  expectedVitals,
  type Window,
} from "./expected-figures.ts"
import { COPY_LATER, generate, type Generated, SERVICES, TRACES } from "./generated-traces.ts"

/** The figures of the screens are those that the documentation defines, over generated traces and windows. */

const store = storeOfFile()
/** Windows that are compared on the same traces. */
const WINDOWS = 5
const MS = 1_000_000n

interface Comparison {
  readonly seed: number
  /** Milliseconds after the first trace. */
  readonly from: number
  readonly length: number
}

let loaded: { readonly seed: number; readonly generated: Generated; readonly first: Window["from"] } | undefined
let loads = 0

/** Replaces the records in the store by those of a seed. */
async function load(seed: number) {
  if (loaded?.seed === seed) return loaded
  loaded = undefined
  const first = ago(3_600_000)
  const generated = generate(new Random(seed), first)
  const again = (span: SpanRecord): SpanRecord => ({
    ...span,
    source: "sentry",
    startTime: plus(span.startTime, COPY_LATER),
    endTime: plus(span.endTime, COPY_LATER),
  })
  const { spans, both, errors } = generated
  await store().clear()
  loads += 1
  await store().insertSpans(spans, `spans ${loads}`)
  await store().insertSpans(spans.filter(({ traceId }) => both.has(traceId)).map(again), `spans again ${loads}`)
  await store().insertErrors(errors, `errors ${loads}`)
  // A client that got no answer sends an event again.
  await store().insertErrors(errors.slice(0, 5), `errors again ${loads}`)
  return (loaded = { seed, generated, first })
}

async function compare({ seed, from, length }: Comparison): Promise<readonly string[]> {
  const { generated, first } = await load(seed)
  const window: Window = { from: plus(first, BigInt(from) * MS), until: plus(first, BigInt(from + length) * MS) }
  await compareRoutes(generated, window)
  await compareChildren(generated, window, seed + from)
  await compareServices(generated, window)
  await compareOverview(generated, window)
  await compareIssues(generated, window)
  return [expectedOverview(generated, window).traces === 0 ? "empty" : "filled"]
}

async function compareRoutes(generated: Generated, window: Window): Promise<void> {
  for (const scope of [window, { ...window, hidden: ["web"] }, { ...window, service: "api" }]) {
    const { routes } = await store().listRoutes(scope)
    const times = routes.flatMap(({ route, times: of }) =>
      Object.entries(of).map(([kind, { count, failed, p50, p75, p95 }]) => [
        `${kind} ${route}`,
        [count, failed, p50, p75, p95],
      ]),
    )
    expect(Object.fromEntries(times)).toEqual(expectedRoutes(generated, scope))
  }
  const { routes } = await store().listRoutes(window)
  const vitals = routes.flatMap(({ route, vitals: of }) =>
    Object.entries(of).map(([name, { count, p75 }]) => [`${name} ${route}`, [count, p75]]),
  )
  expect(Object.fromEntries(vitals)).toEqual(expectedVitals(generated, window))
}

/** @param choice of the route. */
async function compareChildren(generated: Generated, window: Window, choice: number): Promise<void> {
  const steps = stepsOf(Number(window.from / MS), Number(window.until / MS))
  const { routes } = await store().listRoutes(window)
  for (const { route, times } of routes.slice(choice % Math.max(1, routes.length)).slice(0, 1))
    for (const kind of ROUTE_KINDS.filter((each) => times[each] !== undefined)) {
      const read = await store().readRoute(route, window, steps, kind)
      const { rows, traces } = expectedChildren(generated, window, kind, route)
      const children = (read?.children ?? []).map(({ name, service, count, traces: of, p50, total }) => ({
        key: `${name} ${service}`,
        figures: [count, of, p50, Number(total.toFixed(3))],
      }))
      // Which of the rarest are listed is open.
      expect(children).toEqual(children.map(({ key }) => ({ key, figures: rows.get(key) })))
      const counts = [...rows.values()].map(([count]) => count).toSorted((a, b) => b - a)
      expect(children.map(({ figures: [count] }) => count)).toEqual(counts.slice(0, 20))
      expect(read?.childrenOf).toBe(traces)
    }
}

async function compareServices(generated: Generated, { from, until }: Window): Promise<void> {
  const steps = timeSteps(Number(from / MS), Number(until / MS))
  const { services, calls } = await store().listServices({ since: from, until }, steps)
  const listed = {
    services: Object.fromEntries(
      services.map(({ service, count, failed, p50, p95, traces, tracesWithMissingParents }) => [
        service,
        [count, failed, p50, p95, traces, tracesWithMissingParents],
      ]),
    ),
    calls: Object.fromEntries(
      calls.map(({ caller, callee, count, failed, p50, p95 }) => [`${caller} → ${callee}`, [count, failed, p50, p95]]),
    ),
  }
  expect(listed).toEqual(expectedServices(generated, { from, until }))
  for (const name of SERVICES) {
    const { operations, trend } = await store().readService(name, { since: from, until }, steps)
    const count = services.find(({ service }) => service === name)?.count ?? 0
    const sum = (of: readonly number[]) => of.reduce((total, each) => total + each, 0)
    expect([name, sum(operations.map((each) => each.count)), sum(trend.count)]).toEqual([name, count, count])
  }
}

async function compareOverview(generated: Generated, { from, until }: Window): Promise<void> {
  const scope = { since: from, until }
  const { traces, failed, otlp, both, services } = await store().overviewTraces(scope, Date.now())
  const { p95, ...figures } = await store().measureTraces(scope)
  const { p95: expectedP95, ...expected } = expectedOverview(generated, { from, until })
  const counts = Object.fromEntries(services.map(({ value, traces: of }) => [value, of]))
  expect({ traces, failed, otlp, both, services: counts }).toEqual(expected)
  expect(figures).toEqual({ traces, failed })
  expect(p95 === undefined ? undefined : Number(p95)).toEqual(expectedP95)
}

async function compareIssues(generated: Generated, window: Window): Promise<void> {
  const { from, until } = window
  const change = { before: nanoseconds(from - (until - from)), from, until }
  const { issues } = await store().listIssues({ limit: 100, since: from, until, window: change })
  const listed = issues.map(({ issueId, count, firstSeen, lastSeen, window: counts, services }) => [
    issueId,
    { count, first: firstSeen, last: lastSeen, window: counts, services },
  ])
  expect(Object.fromEntries(listed)).toEqual(expectedIssues(generated, window, change))
}

test(
  `routes, services, traces and issues (seed ${FUZZ_SEED}) have the figures that the documentation defines`,
  async () => {
    let count = 0
    let seed = 0
    const { inputs, outcomes } = await fuzz<Comparison>({
      name: "figures",
      leastInputs: 40,
      seconds: 0,
      generate(random) {
        if (count++ % WINDOWS === 0) seed = random.below(2 ** 31)
        const from = random.below(TRACES * 15_000)
        return { seed, from, length: 1_000 + random.below(TRACES * 20_000) }
      },
      run: compare,
    })
    expect(outcomes.get("filled")).toBeGreaterThan(inputs / 2)
  },
  FUZZ_LIMIT_MS,
)
