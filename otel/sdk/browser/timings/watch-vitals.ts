import { type Attributes, ROOT_CONTEXT, trace, type Tracer } from "@opentelemetry/api"
import { type MetricWithAttribution, onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals/attribution"
import { SEGMENT_NAME } from "../../sentry/span-facts.ts"
import { epochTime } from "../clock.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import { withoutQuery } from "./long-frames.ts"

/** Not from `semconv.ts`: a bundler inlines the constants of a file that only the first load imports. */
const SESSION_ID = "session.id"
const DOCUMENT_URL = "browser.document.url.full"
/** The browser counts a soft navigation from the input, the router from a moment later. */
const SOFT_NAVIGATION_LEAD_MS = 100

interface VitalsOptions {
  readonly tracer: Tracer
  readonly current: CurrentRoot
  /** Receives the latest value of each vital by lower-case name. */
  readonly vitals: Map<string, number>
  readonly signal: AbortSignal
}

/**
 * Records web vitals with Google's own library, each as a span in the trace of its root. Most settle when the page is left,
 * long after that root has ended: the root's attributes hold only the values known at its end.
 */
export function watchVitals({ tracer, current, vitals, signal }: VitalsOptions): void {
  const remember = (metric: MetricWithAttribution) => {
    if (!signal.aborted && metric.navigationType !== "soft-navigation")
      vitals.set(metric.name.toLowerCase(), metric.value)
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

/** Records a vital as a span over the time that it measures. */
function recordVital(tracer: Tracer, current: CurrentRoot, metric: MetricWithAttribution): void {
  const { from, to } = vitalExtent(metric)
  const root = current.at(epochTime(interactionTime(metric) ?? from + SOFT_NAVIGATION_LEAD_MS))
  if (root === undefined) return
  const name = metric.name.toLowerCase()
  const session = root.span.attributes[SESSION_ID]
  const attributes: Attributes = {
    "sentry.op": vitalOp(metric),
    "sentry.origin": "auto.ui.pagespan",
    ...(session !== undefined && { [SESSION_ID]: session }),
    [DOCUMENT_URL]: root.span.attributes[DOCUMENT_URL],
    ...vitalAttributes(metric),
    // Sentry gets each vital once: with its root, or by itself.
    ...(root.ended &&
      !(`browser.web_vital.${name}.value` in root.span.attributes) && { [SEGMENT_NAME]: root.span.name }),
  }
  const startTime = Math.max(epochTime(from), root.startedAt)
  const parent = trace.setSpan(ROOT_CONTEXT, root.span)
  const span = tracer.startSpan(`browser.web_vital.${name}`, { startTime, attributes }, parent)
  span.end(Math.max(epochTime(to), startTime))
}

/** Value, rating and attribution under Sentry's attribute names. URLs have no query. */
export function vitalAttributes(metric: MetricWithAttribution): Attributes {
  const key = (suffix: string) => `browser.web_vital.${metric.name.toLowerCase()}.${suffix}`
  const known = Object.entries(attributionOf(metric)).filter(([, value]) => value !== undefined && value !== "")
  return {
    [key("value")]: metric.value,
    [key("rating")]: metric.rating,
    "browser.navigation.type": metric.navigationType,
    ...Object.fromEntries(known.map(([suffix, value]) => [key(suffix), value])),
  }
}

/**
 * The time that a vital measures, in milliseconds since the time origin: an interaction from the input to the next paint, a
 * paint or a response from the start of its page. A layout shift has no duration.
 */
export function vitalExtent(metric: MetricWithAttribution): { readonly from: number; readonly to: number } {
  const began = metric.navigationStartTime ?? 0
  if (metric.name === "CLS") {
    const at = metric.attribution.largestShiftTime ?? began
    return { from: at, to: at }
  }
  const from = interactionTime(metric) ?? began
  return { from, to: from + metric.value }
}

/** When the visitor acted. An interaction that the browser timed too coarsely has a value, but no time. */
export function interactionTime(metric: MetricWithAttribution): number | undefined {
  return metric.name === "INP" ? metric.attribution.interactionTime : undefined
}

/** Sentry's op. That of an interaction says how the visitor acted. */
export function vitalOp(metric: MetricWithAttribution): string {
  if (metric.name !== "INP") return `ui.webvital.${metric.name.toLowerCase()}`
  return `ui.interaction.${metric.attribution.interactionType === "keyboard" ? "press" : "click"}`
}

function attributionOf(metric: MetricWithAttribution): Record<string, string | number | undefined> {
  const { name, attribution } = metric
  switch (name) {
    case "LCP":
      return {
        element: attribution.target,
        url: withoutQuery(attribution.url),
        resource_load_delay: attribution.resourceLoadDelay,
        resource_load_duration: attribution.resourceLoadDuration,
        element_render_delay: attribution.elementRenderDelay,
      }
    case "INP":
      return {
        target: attribution.interactionTarget,
        interaction_type: attribution.interactionType,
        input_delay: attribution.inputDelay,
        processing_duration: attribution.processingDuration,
        presentation_delay: attribution.presentationDelay,
        script: withoutQuery(attribution.longestScript?.entry.sourceURL),
      }
    case "CLS":
      return { element: attribution.largestShiftTarget, largest_shift: attribution.largestShiftValue }
    case "FCP":
      return { load_state: attribution.loadState }
    case "TTFB":
      return {
        request_duration: attribution.requestDuration,
        waiting_duration: attribution.waitingDuration,
      }
  }
}
