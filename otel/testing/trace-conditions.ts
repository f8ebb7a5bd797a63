import { type FoundTrace, timedSpans, vitalValues } from "./found-trace.ts"
import { matchesPattern } from "../protocol/pattern.ts"

/** Upper bounds of a web vital: milliseconds, or text such as `2.5s`; a score for `CLS`. */
export interface VitalLimits {
  readonly p75?: number | string
  readonly p95?: number | string
  readonly max?: number | string
}

/** What an assertion requires of the traces. */
export type TraceCondition =
  | { readonly kind: "found" }
  | { readonly kind: "no-errors" }
  | { readonly kind: "span"; readonly name: string; readonly minCount: number; readonly maxCount: number }
  | { readonly kind: "duration"; readonly limitMs: number }
  | { readonly kind: "vital"; readonly vital: string; readonly limits: Readonly<Record<string, number>> }

export interface Judgement {
  readonly holds: boolean
  /**
   * When it counts: at `once` if further spans cannot change it, when the traces have `settled` if none are expected, and at the
   * `timeout` if they may come late.
   */
  readonly from: "once" | "settled" | "timeout"
  /** Why it does not hold, with what came instead. Empty if it holds. */
  readonly problem: string
}

const HOLDS: Judgement = { holds: true, from: "settled", problem: "" }
const LIST_LIMIT = 10
const RANKS: Readonly<Record<string, number>> = { p75: 0.75, p95: 0.95, max: 1 }
/** What of a web vital can be limited. */
export const LIMITED: ReadonlySet<string> = new Set(Object.keys(RANKS))
export const VITALS: ReadonlySet<string> = new Set(["LCP", "INP", "CLS", "FCP", "TTFB"])

function fails(from: Judgement["from"], problem: string): Judgement {
  return { holds: false, from, problem }
}

/** @param issues titles of errors that were reported in the traces. */
export function judge(
  condition: TraceCondition,
  traces: readonly FoundTrace[],
  route: string | undefined,
  issues: readonly string[],
): Judgement {
  if (traces.length === 0) return fails("timeout", "Expected a trace, and none matches")
  switch (condition.kind) {
    case "found":
      return { ...HOLDS, from: "once" }
    case "no-errors":
      return judgeErrors(traces, issues)
    case "span":
      return judgeSpans(condition, traces)
    case "duration":
      return judgeDuration(condition.limitMs, traces, route)
    case "vital":
      return judgeVital(condition, traces)
  }
}

function judgeErrors(traces: readonly FoundTrace[], issues: readonly string[]): Judgement {
  const failed = traces.flatMap(({ spans }) => spans.filter((span) => span.failed))
  const texts = failed.map(({ service, name, message }) => `${service}: ${name}${message === "" ? "" : `: ${message}`}`)
  const all = [...new Set([...texts, ...issues])]
  return all.length === 0 ? HOLDS : fails("once", `Expected no errors, and found ${all.length}:${list(all)}`)
}

function judgeSpans(
  { name, minCount, maxCount }: Extract<TraceCondition, { kind: "span" }>,
  traces: readonly FoundTrace[],
): Judgement {
  for (const { spans } of traces) {
    const count = spans.filter((span) => matchesPattern(span.name, name)).length
    const isTooMany = count > maxCount
    if (count >= minCount && !isTooMany) continue
    const names = new Map<string, number>()
    for (const span of spans) names.set(span.name, (names.get(span.name) ?? 0) + 1)
    const there = [...names].toSorted(([, a], [, b]) => b - a).map(([each, times]) => `${times} × ${each}`)
    const bound = isTooMany ? `at most ${maxCount}` : `at least ${minCount}`
    const problem = `Expected ${bound} × ${name} in each trace, and one has ${count}. It has:${list(there)}`
    return fails(isTooMany ? "once" : "timeout", problem)
  }
  return maxCount === Infinity ? { ...HOLDS, from: "once" } : HOLDS
}

function judgeDuration(limitMs: number, traces: readonly FoundTrace[], route: string | undefined): Judgement {
  const slow = traces
    .flatMap(({ spans }) => timedSpans(spans, route))
    .filter(({ durationMs }) => durationMs > limitMs)
    .map(({ name, durationMs }) => `${name} took ${Math.round(durationMs)} ms`)
  return slow.length === 0 ? HOLDS : fails("once", `Expected to finish within ${limitMs} ms:${list(slow)}`)
}

function judgeVital(
  { vital, limits }: Extract<TraceCondition, { kind: "vital" }>,
  traces: readonly FoundTrace[],
): Judgement {
  const values = traces.flatMap(({ spans }) => vitalValues(spans, vital)).toSorted((a, b) => a - b)
  if (values.length === 0) {
    const names = traces.flatMap(({ spans }) => spans.map(({ name }) => name))
    return fails("timeout", `Expected ${vital}, and no trace has it. They have:${list([...new Set(names)])}`)
  }
  for (const [of, limit] of Object.entries(limits)) {
    const value = values[Math.max(Math.ceil((RANKS[of] ?? 1) * values.length) - 1, 0)] ?? 0
    if (value > limit)
      return fails(
        "settled",
        `Expected ${of} of ${vital} to be at most ${vitalText(vital, limit)}, and it is ${vitalText(vital, value)} (${values.length} ${values.length === 1 ? "page" : "pages"})`,
      )
  }
  return HOLDS
}

/** `CLS` is a score, and the others are durations. */
function vitalText(vital: string, value: number): string {
  return `${Number(value.toPrecision(4))}${vital.toUpperCase() === "CLS" ? "" : " ms"}`
}

function list(texts: readonly string[]): string {
  const more = texts.length > LIST_LIMIT ? [`and ${texts.length - LIST_LIMIT} more`] : []
  return [...texts.slice(0, LIST_LIMIT), ...more].map((text) => `\n  ${text}`).join("")
}
