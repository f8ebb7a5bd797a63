import { activeAttempt } from "./active-attempt.ts"

/** Which traces an assertion is about. All that is given must match, as in the filter language. */
export interface TraceFilter {
  /** `http.route`, such as `/cart/[id]`; `*` matches any text. The assertion is then about the spans of this route and below. */
  readonly route?: string
  /** `service.name` of any span. */
  readonly service?: string
  /** Part of the name of the root span. */
  readonly name?: string
  /** Name of a run. */
  readonly run?: string
  readonly status?: "error" | "ok"
  /** A trace id. */
  readonly trace?: string
  /** Further terms in the filter language, such as `http.status_code:5xx`. */
  readonly filter?: string
  /** Traces that began since then: a date, or milliseconds since the epoch. Default: the start of the test, else a minute ago. */
  readonly since?: Date | number
}

/** A filter as the read API takes it. */
export interface ReadyFilter {
  readonly text: string
  readonly route: string | undefined
  readonly sinceMs: number
}

const WITHOUT_TEST_MS = 60_000
const KEYS = ["route", "service", "name", "run", "status", "trace"] as const
const PARTS: ReadonlySet<string> = new Set([...KEYS, "filter", "since"])
/** Values that mean the same with and without quotes, except that `*` is any text. */
const PLAIN = /^[\p{L}/_$*[\]@.-][\p{L}\p{N}/_$*[\]@.-]*$/u

/**
 * @param given a filter in the filter language, or its parts. Default: the trace of the running test.
 * @throws {TypeError} on a part that is not known.
 * @throws {Error} without a filter outside of a test.
 */
export function readyFilter(given: string | TraceFilter | undefined): ReadyFilter {
  const attempt = activeAttempt()
  if (given === undefined && attempt === undefined)
    throw new Error(
      "expectTrace() without a filter is about the trace of the running test, and no test is recorded here: use test of pagespan/testing/playwright or the set-up file pagespan/testing/vitest-setup, with Pagespan's reporter, which --reporter on the command line replaces; or name a filter",
    )
  const filter: TraceFilter =
    typeof given === "string" ? { filter: given } : (given ?? { ...(attempt && { trace: attempt.traceId }) })
  requireKnown(Object.keys(filter), PARTS, "a part of a filter")
  const terms = KEYS.flatMap((key) => (filter[key] === undefined ? [] : [`${key}:${valueText(filter[key])}`]))
  if (filter.filter !== undefined) terms.push(terms.length === 0 ? filter.filter : `(${filter.filter})`)
  const { since = attempt?.startMs ?? Date.now() - WITHOUT_TEST_MS } = filter
  return { text: terms.join(" "), route: filter.route, sinceMs: Number(since) }
}

function valueText(text: string): string {
  if (PLAIN.test(text) && !text.includes("..")) return text
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`
}

/**
 * Refuses what an assertion does not know. Frameworks run tests without a check of types, and with a misspelled key an
 * assertion would hold that nobody wrote.
 *
 * @param given arguments of the assertion.
 * @param known the names that it has.
 * @param what the names are, for the message, such as `a part of a filter`.
 * @throws {TypeError} that names the unknown one, and those that are known.
 */
export function requireKnown(given: Iterable<string>, known: ReadonlySet<string>, what: string): void {
  for (const name of given)
    if (!known.has(name))
      throw new TypeError(`${JSON.stringify(name)} is not ${what}: known are ${[...known].join(", ")}`)
}
