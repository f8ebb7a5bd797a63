import { type Attributes, ROOT_CONTEXT, trace, type Tracer } from "@opentelemetry/api"
import { type MetricWithAttribution, onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals/attribution"
import { SEGMENT_NAME } from "../../sentry/span-facts.ts"
import { epochTime } from "../clock.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import { ATTR_SESSION_ID } from "../roots/semconv.ts"
import type { PageVitals } from "./page-vitals.ts"
import { interactionTime, vitalAttributes, vitalExtent, vitalOp } from "./vital-attributes.ts"

/** The browser counts a soft navigation from the visitor's input, the router from a moment later. */
const SOFT_NAVIGATION_LEAD_MS = 100

export interface VitalsOptions {
  readonly tracer: Tracer
  readonly current: CurrentRoot
  readonly vitals: PageVitals
  readonly signal: AbortSignal
}

/**
 * Web vitals by Google's own library, each a span in the trace of the root that it belongs to. Most settle
 * when the page is left, long after that root has ended, so they are never its attributes but for what was known then.
 */
export function watchVitals({ tracer, current, vitals, signal }: VitalsOptions): void {
  const remember = (metric: MetricWithAttribution) => {
    if (!signal.aborted && metric.navigationType !== "soft-navigation")
      vitals.remember(metric.name.toLowerCase(), metric.value)
  }
  const record = (metric: MetricWithAttribution) => {
    if (!signal.aborted) recordVital(tracer, current, metric)
  }
  const settled = (metric: MetricWithAttribution) => {
    remember(metric)
    record(metric)
  }
  onTTFB(settled)
  onFCP(settled, { reportSoftNavs: true })
  onLCP(record, { reportSoftNavs: true })
  onLCP(remember, { reportAllChanges: true })
  onCLS(record, { reportSoftNavs: true })
  onCLS(remember, { reportAllChanges: true })
  onINP(record, { reportSoftNavs: true })
}

/** A vital lies where it happened, from the moment that it counts from to the moment that it tells of. */
function recordVital(tracer: Tracer, current: CurrentRoot, metric: MetricWithAttribution): void {
  const { from, to } = vitalExtent(metric)
  const root = current.at(epochTime(interactionTime(metric) ?? from + SOFT_NAVIGATION_LEAD_MS))
  if (root === undefined) return
  const name = metric.name.toLowerCase()
  const session = root.span.attributes[ATTR_SESSION_ID]
  const attributes: Attributes = {
    "sentry.op": vitalOp(metric),
    "sentry.origin": "auto.ui.pagespan",
    ...(session === undefined ? {} : { [ATTR_SESSION_ID]: session }),
    ...vitalAttributes(metric),
    // Sentry has had it from its root, or gets it with its root, or by itself: once in any case.
    ...(root.ended &&
      !(`browser.web_vital.${name}.value` in root.span.attributes) && { [SEGMENT_NAME]: root.span.name }),
  }
  const startTime = Math.max(epochTime(from), root.startedAt)
  const parent = trace.setSpan(ROOT_CONTEXT, root.span)
  const span = tracer.startSpan(`browser.web_vital.${name}`, { startTime, attributes }, parent)
  span.end(Math.max(epochTime(to), startTime))
}
