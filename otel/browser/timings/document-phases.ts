import type { Tracer } from "@opentelemetry/api"
import { epochTime } from "../clock.ts"
import type { CurrentRoot } from "../roots/current-root.ts"

type Moment = keyof PerformanceNavigationTiming & string

interface Phase {
  readonly name: string
  readonly op: string
  readonly from: Moment
  readonly to: Moment
}

/** Phases follow each other; Sentry's own `request` overlaps its `response`. */
const PHASES: readonly Phase[] = [
  { name: "document redirect", op: "browser.redirect", from: "redirectStart", to: "redirectEnd" },
  { name: "document connect", op: "browser.connect", from: "domainLookupStart", to: "connectEnd" },
  { name: "document request", op: "browser.request", from: "requestStart", to: "responseStart" },
  { name: "document response", op: "browser.response", from: "responseStart", to: "responseEnd" },
  { name: "document dom", op: "browser.dom", from: "responseEnd", to: "domComplete" },
]

/** Makes a child span of each phase of the document that lies within its root. A phase that has not ended is left out. */
export function recordDocumentPhases(
  tracer: Tracer,
  current: CurrentRoot,
  entry: PerformanceNavigationTiming,
  endedAt: number,
): void {
  const rootStart = current.root?.startedAt ?? epochTime(0)
  for (const { name, op, from, to } of PHASES) {
    const startTime = epochTime(Number(entry[from]))
    const end = epochTime(Number(entry[to]))
    // A prerendered document had its phases before it became the visitor's.
    const isWithin = startTime >= rootStart && end <= endedAt + 1
    if (Number(entry[to]) === 0 || end <= startTime || !isWithin) continue
    const attributes = { "sentry.op": op, "sentry.origin": "auto.ui.pagespan" }
    tracer.startSpan(name, { startTime, attributes }, current.context).end(end)
  }
}
