import type { Attributes } from "@opentelemetry/api"
import type { MetricWithAttribution } from "web-vitals/attribution"

/** What the library knows about the cause, by the names that Sentry gives to the same. Addresses lose their query. */
export function vitalAttributes(metric: MetricWithAttribution): Attributes {
  const key = (suffix: string) => `browser.web_vital.${metric.name.toLowerCase()}.${suffix}`
  const told = Object.entries(attribution(metric)).filter(([, value]) => value !== undefined && value !== "")
  return {
    [key("value")]: metric.value,
    [key("rating")]: metric.rating,
    "browser.navigation.type": metric.navigationType,
    ...Object.fromEntries(told.map(([suffix, value]) => [key(suffix), value])),
  }
}

/**
 * What a vital measures, in milliseconds since the time origin: an interaction from the visitor's input to the next
 * paint, a paint or an answer from the beginning of its page. A layout shift is a moment.
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

/** When the visitor acted, where the browser told: an interaction that it timed too coarsely has a value, but no time. */
export function interactionTime(metric: MetricWithAttribution): number | undefined {
  return metric.name === "INP" ? metric.attribution.interactionTime : undefined
}

/** Sentry's own words: of an interaction it tells how the visitor acted. */
export function vitalOp(metric: MetricWithAttribution): string {
  if (metric.name !== "INP") return `ui.webvital.${metric.name.toLowerCase()}`
  return `ui.interaction.${metric.attribution.interactionType === "keyboard" ? "press" : "click"}`
}

function attribution(metric: MetricWithAttribution): Record<string, string | number | undefined> {
  switch (metric.name) {
    case "LCP":
      return {
        element: metric.attribution.target,
        url: withoutQuery(metric.attribution.url),
        resource_load_delay: metric.attribution.resourceLoadDelay,
        resource_load_duration: metric.attribution.resourceLoadDuration,
        element_render_delay: metric.attribution.elementRenderDelay,
      }
    case "INP":
      return {
        target: metric.attribution.interactionTarget,
        interaction_type: metric.attribution.interactionType,
        input_delay: metric.attribution.inputDelay,
        processing_duration: metric.attribution.processingDuration,
        presentation_delay: metric.attribution.presentationDelay,
        script: withoutQuery(metric.attribution.longestScript?.entry.sourceURL),
      }
    case "CLS":
      return { element: metric.attribution.largestShiftTarget, largest_shift: metric.attribution.largestShiftValue }
    case "FCP":
      return { load_state: metric.attribution.loadState }
    case "TTFB":
      return {
        request_duration: metric.attribution.requestDuration,
        waiting_duration: metric.attribution.waitingDuration,
      }
  }
}

function withoutQuery(url: string | undefined): string | undefined {
  return url?.split(/[?#]/, 1)[0]
}
