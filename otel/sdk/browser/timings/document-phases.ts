import type { Tracer } from "@opentelemetry/api"
import { epochTime } from "../clock.ts"
import type { CurrentRoot } from "../roots/current-root.ts"

type Moment = keyof PerformanceNavigationTiming & string

/** From when to when. Phases follow each other; Sentry's own `request` overlaps its `response`. */
const PHASES: Readonly<Record<string, readonly [Moment, Moment]>> = {
  redirect: ["redirectStart", "redirectEnd"],
  connect: ["domainLookupStart", "connectEnd"],
  request: ["requestStart", "responseStart"],
  response: ["responseStart", "responseEnd"],
  dom: ["responseEnd", "domComplete"],
}

/** Makes a child span of each phase of the document that lies within its root. A phase that has not ended is left out. */
export function recordDocumentPhases(
  tracer: Tracer,
  current: CurrentRoot,
  entry: PerformanceNavigationTiming,
  endedAt: number,
): void {
  const rootStart = current.root?.startedAt ?? epochTime(0)
  for (const [phase, [from, to]] of Object.entries(PHASES)) {
    const startTime = epochTime(Number(entry[from]))
    const end = epochTime(Number(entry[to]))
    // A prerendered document had its phases before it became the visitor's.
    const isWithin = startTime >= rootStart && end <= endedAt + 1
    if (Number(entry[to]) === 0 || end <= startTime || !isWithin) continue
    const attributes = { "sentry.op": `browser.${phase}`, "sentry.origin": "auto.ui.pagespan" }
    tracer.startSpan(`document ${phase}`, { startTime, attributes }, current.context).end(end)
  }
}
