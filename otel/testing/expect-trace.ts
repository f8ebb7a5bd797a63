import { duration, plain } from "../protocol/line-text.ts"
import { matchesPattern } from "../protocol/pattern.ts"
import { activeAttempt, untilTimeoutMs } from "./active-attempt.ts"
import { findInspector, type InspectorAddress } from "./destination.ts"
import { dropTexts } from "./failure-report.ts"
import { type FoundSpan, foundSpans, type FoundTrace, missingParents, spansOfRoute } from "./found-trace.ts"
import { InspectorReader, Refused, type TraceRow } from "./inspector-reader.ts"
import { type ReadyFilter, readyFilter, requireKnown, type TraceFilter } from "./trace-filter.ts"
import { judge, LIMITED, type TraceCondition, VITALS, type VitalLimits } from "./trace-conditions.ts"

/** How long an assertion waits. */
export interface WaitOptions {
  /** Milliseconds until it fails. Default: 10,000; less where the test itself has less time left. */
  readonly timeout?: number
  /**
   * Milliseconds for which the traces must not have grown before an upper bound holds; three times as long where they do not
   * stop growing, as of an app that polls. Default: 1,000. OpenTelemetry's SDKs
   * export every 5 s by default: a service that reports nothing else may need 6,000.
   */
  readonly settle?: number
}

const TIMEOUT_MS = 10_000
const SETTLE_MS = 1_000
/** An app that polls, or streams, never stops reporting: what has held for this many times as long counts as well. */
const HELD_FACTOR = 3
/** What collecting the message takes. */
const MESSAGE_MS = 500
const POLL_MS = 200
/** Traces that an assertion reads, the newest. */
const TRACE_LIMIT = 50
/** Spans of a trace that is read. */
const SPAN_LIMIT = 20_000
/** Lines of a message for what came instead. */
const LINE_LIMIT = 10

/** An assertion on traces that does not hold. The message has what came instead. */
export class TraceAssertionError extends Error {
  override readonly name = "TraceAssertionError"
}

/**
 * Asserts on the traces that match the filter: on the newest 50, without those of more than 20,000 spans. Every method waits until it
 * holds, or until it cannot hold any more.
 *
 * @param filter parts of a filter, or text in the filter language. Default: the trace of the running test. With a route, the
 * assertion is about the spans of that route and everything below them.
 * @param options how long each method waits. Default: 10 s, and 1 s without growth for upper bounds.
 * @returns the assertions. Each rejects with a `TraceAssertionError` if it does not hold in time, or if no inspector answers.
 * @throws {TypeError} on a part of a filter, or an option, that is not known.
 * @throws {Error} without a filter outside of a test.
 *
 * @example
 * await expectTrace({ route: "/checkout" }).toHaveNoErrors()
 * await expectTrace({ route: "/checkout" }).toHaveSpan("SELECT*", { maxCount: 3 })
 * await expectTrace("service:shop http.status_code:5xx", { timeout: 3_000 }).toHaveNoErrors()
 */
export function expectTrace(filter?: string | TraceFilter, options: WaitOptions = {}): TraceExpectation {
  requireKnown(Object.keys(options), OPTIONS, "an option of expectTrace")
  return new TraceExpectation(readyFilter(filter), options)
}

/**
 * The newest trace with a span of the route, as soon as it has arrived: its spans of the route and everything below.
 *
 * @param route `http.route`, such as `/cart/[id]`; `*` matches any text.
 * @param options how long to wait. Default: 10 s.
 * @throws {TraceAssertionError} with what came instead, if none arrives in time or no inspector answers.
 *
 * @example
 * const { spans, url } = await getByRoute("/cart/[id]")
 */
export async function getByRoute(route: string, options: WaitOptions = {}): Promise<FoundTrace> {
  requireKnown(Object.keys(options), OPTIONS, "an option of getByRoute")
  const [newest] = await waitUntil(readyFilter({ route }), options, { kind: "found" })
  if (newest === undefined) throw new TraceAssertionError(`no trace of ${route}`) // waitUntil found one
  return newest
}

class TraceExpectation {
  constructor(
    private readonly filter: ReadyFilter,
    private readonly options: WaitOptions,
  ) {}

  /** No span failed, no exception was recorded, and no error was reported in a matching trace. At least one must match. */
  async toHaveNoErrors(): Promise<void> {
    await waitUntil(this.filter, this.options, { kind: "no-errors" })
  }

  /**
   * Each matching trace has spans of this name.
   *
   * @param name of the spans; `*` matches any text.
   * @param counts bounds of the number in each trace, inclusive. Default: at least 1.
   * @throws {TypeError} on a bound that is not known.
   */
  async toHaveSpan(
    name: string,
    counts: { readonly minCount?: number; readonly maxCount?: number } = {},
  ): Promise<void> {
    requireKnown(Object.keys(counts), COUNTS, "a bound of toHaveSpan")
    const { minCount = 1, maxCount = Infinity } = counts
    await waitUntil(this.filter, this.options, { kind: "span", name, minCount, maxCount })
  }

  /**
   * Each page load, navigation and request of the route took at most this long; without a route, each matching trace.
   *
   * @param limit milliseconds, or text such as `500ms` and `2s`.
   * @throws {TypeError} if it is no duration.
   *
   * @example await expectTrace({ route: "/checkout" }).toFinishWithin("2s")
   */
  async toFinishWithin(limit: number | string): Promise<void> {
    await waitUntil(this.filter, this.options, { kind: "duration", limitMs: milliseconds(limit) })
  }

  /**
   * The web vital of the matching traces stays within its limits. At least one must have it. A percentile is that of the
   * nearest rank.
   *
   * @param vital `LCP`, `INP`, `CLS`, `FCP` or `TTFB`.
   * @param limits of `p75`, `p95` or `max`, at least one: milliseconds, or text such as `2.5s`; a score for `CLS`.
   * @throws {TypeError} on another vital or limit, without a limit, or if one is no duration.
   *
   * @example await expectTrace({ route: "/checkout" }).toHaveVital("LCP", { p75: "2.5s" })
   */
  async toHaveVital(vital: string, limits: VitalLimits): Promise<void> {
    requireKnown([vital.toUpperCase()], VITALS, "a web vital")
    requireKnown(Object.keys(limits), LIMITED, "a limit of toHaveVital")
    const bounds = Object.entries(limits).map(([of, limit]) => [of, milliseconds(limit)] as const)
    if (bounds.length === 0) throw new TypeError(`toHaveVital needs a limit: ${[...LIMITED].join(", ")}`)
    await waitUntil(this.filter, this.options, { kind: "vital", vital, limits: Object.fromEntries(bounds) })
  }
}

const OPTIONS: ReadonlySet<string> = new Set(["timeout", "settle"] satisfies (keyof WaitOptions)[])
const COUNTS: ReadonlySet<string> = new Set(["minCount", "maxCount"])
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }

function milliseconds(limit: number | string): number {
  if (typeof limit === "number" && !Number.isNaN(limit)) return limit
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\s*(ms|s|m)$/.exec(String(limit).trim()) ?? []
  if (number === undefined)
    throw new TypeError(
      `${typeof limit === "string" ? JSON.stringify(limit) : limit} is no duration: expected milliseconds, or a text like 500ms or 2s`,
    )
  return Number(number) * (UNITS[unit] ?? 1)
}

/** @throws {TraceAssertionError} with what came instead. */
async function waitUntil(filter: ReadyFilter, options: WaitOptions, condition: TraceCondition): Promise<FoundTrace[]> {
  const { settle = SETTLE_MS } = options
  const timeout = timeLeft(options.timeout)
  const reader = await requireReader()
  const matching = new MatchingTraces(reader, filter)
  const deadline = Date.now() + timeout
  let held: boolean | undefined
  let heldAt = 0
  for (;;) {
    await matching.read()
    const now = Date.now()
    const traces = matching.found()
    const issues = condition.kind === "no-errors" ? await matching.issues() : []
    const { holds, from, problem } = judge(condition, traces, filter.route, issues)
    if (holds !== held) [held, heldAt] = [holds, now]
    const isSettled =
      (matching.isComplete() && now - matching.grownAt >= settle) || now - heldAt >= HELD_FACTOR * settle
    if (now >= deadline || from === "once" || (from === "settled" && isSettled)) {
      if (holds) return traces
      throw await failure(reader, matching, problem, timeout)
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** A test that runs out of time would end without the message. */
function timeLeft(timeout = TIMEOUT_MS): number {
  return Math.max(Math.min(timeout, untilTimeoutMs() - MESSAGE_MS), 0)
}

let found: Promise<InspectorAddress | undefined> | undefined

/** The inspector is looked for until it answers, then once. */
async function requireReader(): Promise<InspectorReader> {
  const inspector = await (found ??= findInspector(process.env))
  if (inspector !== undefined) return new InspectorReader(inspector)
  found = undefined
  throw new TraceAssertionError(
    "no inspector answers: run the tests with npx pagespan run -- <command>, or set PAGESPAN_URL to the address of one",
  )
}

/** Before the route in the name of a request, as in `GET /cart` and `RSC GET /cart`. */
const METHOD = /^(?:[A-Z]+ )+/

/** The traces that match a filter, read again when they have grown. */
class MatchingTraces {
  /** When a trace was found or had grown, in milliseconds since the epoch. */
  grownAt = Date.now()
  /** What the inspector said about the filter. */
  notices: readonly string[] = []
  #rows: readonly TraceRow[] = []
  readonly #spans = new Map<string, { readonly count: number; readonly spans: readonly FoundSpan[] }>()

  constructor(
    private readonly reader: InspectorReader,
    readonly filter: ReadyFilter,
  ) {}

  async read(): Promise<void> {
    const list = await this.reader.traces(this.filter.text, this.filter.sinceMs, TRACE_LIMIT).catch(asAssertion)
    this.#rows = list.traces
    this.notices = list.notices ?? []
    for (const { traceId, spanCount } of this.#rows) {
      if (this.#spans.get(traceId)?.count === spanCount) continue
      const text = spanCount <= SPAN_LIMIT ? await this.reader.traceText(traceId) : undefined
      if (text === undefined) continue
      this.#spans.set(traceId, { count: spanCount, spans: foundSpans(text) })
      this.grownAt = Date.now()
    }
  }

  /** Newest first; of the filter's route, those that have a span of it. */
  found(): FoundTrace[] {
    return this.#rows.flatMap(({ traceId }) => {
      const spans = spansOfRoute(this.#spans.get(traceId)?.spans ?? [], this.filter.route)
      return spans.length === 0 ? [] : [{ traceId, url: this.reader.screen(`/traces/${traceId}`), spans }]
    })
  }

  /** Whether all parents have arrived, except those of this test, which are sent when it has ended. */
  isComplete(): boolean {
    const attempt = activeAttempt()
    const own = new Set([attempt?.spanId, ...(attempt?.steps ?? []).map(({ spanId }) => spanId)])
    return this.#rows.every(({ traceId }) => {
      const missing = missingParents(this.#spans.get(traceId)?.spans ?? [])
      return [...missing].every((id) => own.has(id))
    })
  }

  /** Titles of errors that were reported in the traces, also without a span. */
  async issues(): Promise<string[]> {
    const ids = new Set(this.#rows.map(({ traceId }) => traceId))
    const { route, sinceMs } = this.filter
    return (await this.reader.issues(sinceMs))
      .filter(({ lastTraceId }) => lastTraceId !== null && ids.has(lastTraceId))
      .filter(({ transaction }) => route === undefined || matchesPattern(transaction.replace(METHOD, ""), route))
      .map(({ title }) => title)
  }
}

function asAssertion(error: unknown): never {
  if (error instanceof Refused) throw new TraceAssertionError(`the filter is invalid: ${error.message}`)
  throw error
}

async function failure(
  reader: InspectorReader,
  matching: MatchingTraces,
  problem: string,
  timeout: number,
): Promise<TraceAssertionError> {
  const { text, sinceMs, route } = matching.filter
  const traces = matching.found()
  const lines = problem.split("\n")
  for (const { url } of traces.slice(0, LINE_LIMIT)) lines.push(`  ${url}`)
  if (traces.length === 0) {
    const { traces: others } = await reader.traces("", sinceMs, LINE_LIMIT + 1)
    lines.push(others.length === 0 ? "No trace began in that time." : "What came instead:")
    for (const row of others.slice(0, LINE_LIMIT)) lines.push(`  ${rowText(row)}`)
    if (others.length > LINE_LIMIT) lines.push("  and more")
    if (route !== undefined && others.length > 0) lines.push(routesText(await reader.routes(sinceMs)))
  }
  const drops = dropTexts(await reader.drops(sinceMs, Date.now()))
  if (drops.length > 0) lines.push(`Dropped in that time: ${drops.slice(0, LINE_LIMIT).join(", ")}`)
  lines.push(...matching.notices, `Filter: ${text || "all traces"}. Waited ${Math.round(timeout)} ms at most.`)
  return new TraceAssertionError(lines.map(plain).join("\n"))
}

function routesText(routes: readonly string[]): string {
  const more = routes.length > LINE_LIMIT ? ` and ${routes.length - LINE_LIMIT} more` : ""
  return `Routes of that time: ${routes.slice(0, LINE_LIMIT).join(", ") || "none"}${more}`
}

function rowText({ traceId, name, services, durationNano, spanCount, errorCount }: TraceRow): string {
  const errors = errorCount === 0 ? "" : `, ${errorCount} failed`
  // Its root, which has the name, is sent when the test has ended.
  const title = traceId === activeAttempt()?.traceId ? "the trace of this test" : name
  const spans = spanCount === 1 ? "1 span" : `${spanCount} spans`
  return `${title}  ${duration(durationNano)}  ${services.join(", ")}  (${spans}${errors})`
}
