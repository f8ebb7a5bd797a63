import type { BudgetReport, BudgetResult } from "../../inspector/queries/budgets/budgets.ts"
import { plain } from "../../protocol/line-text.ts"
import { byteText } from "../terminal.ts"

/** One result in words, for every form of the report. Names of routes and spans come from outside. */
export interface Described {
  readonly verdict: BudgetResult["verdict"]
  /** The route and what is measured of it, like `/cart (page loads)`. */
  readonly subject: string
  /** Like `duration p75`. */
  readonly figure: string
  readonly value: string
  readonly limit: string
  readonly samples: string
  /** Why, and the change against the baseline; empty for a limit that holds. */
  readonly detail: string
  readonly result: BudgetResult
}

const KINDS = { load: "page loads", navigation: "navigations", request: "requests" } as const

export function describeResult(result: BudgetResult): Described {
  const { route, kind, metric, span, stat, limit, value, unit, samples, verdict } = result
  const of = kind === null ? "" : ` (${KINDS[kind]})`
  return {
    verdict,
    subject: route === null ? "all data" : `${plain(route)}${of}`,
    figure: [metric, span === null ? "" : plain(span), stat].filter((part) => part !== "").join(" "),
    value: value === null ? "-" : valueText(value, unit),
    limit,
    samples: metric === "dropped" ? "" : String(samples),
    detail: [result.reason, changeText(result)].filter((part) => part !== "").join("; "),
    result,
  }
}

/** `The budgets hold: 3 limits passed`, or how many fail and are undecided. */
export function summaryText({ verdict, counts: { fail, undecided, pass } }: BudgetReport): string {
  const heads = { pass: "The budgets hold", fail: "A budget fails", undecided: "The budgets are undecided" }
  const parts = [
    ...(fail > 0 ? [`${fail} failed`] : []),
    ...(undecided > 0 ? [`${undecided} undecided`] : []),
    `${pass} passed`,
  ]
  return `${fail > 1 ? "Budgets fail" : heads[verdict]}: ${parts.join(", ")}`
}

/** A sentence on one line, like `/cart (page loads): duration p75 is 912 ms, the limit is 800ms: over the limit`. */
export function sentence({ subject, figure, value, limit, detail, result }: Described): string {
  if (result.value === null) return `${subject}: ${figure}, the limit is ${limit}: ${detail}`
  return `${subject}: ${figure} is ${value}, the limit is ${limit}${detail && `: ${detail}`}`
}

function changeText({ change, baseline, unit }: BudgetResult): string {
  if (baseline === null) return ""
  const before = `baseline ${valueText(baseline.value, unit)} of ${baseline.samples}`
  return change === null ? before : `${before}, ${percent(change.low)} to ${percent(change.high)}`
}

function percent(share: number): string {
  return `${share >= 0 ? "+" : "−"}${Number(Math.abs(share * 100).toPrecision(3))}%`
}

function valueText(value: number, unit: BudgetResult["unit"]): string {
  switch (unit) {
    case "ms":
      return value >= 1_000 ? `${Number((value / 1_000).toPrecision(3))} s` : `${Number(value.toPrecision(3))} ms`
    case "bytes":
      return byteText(value)
    case "share":
      return `${Number((value * 100).toPrecision(3))}%`
    default:
      return String(Number(value.toPrecision(6)))
  }
}
