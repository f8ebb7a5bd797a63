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

/** When a vital happened, in milliseconds since the time origin. */
export function vitalTime(metric: MetricWithAttribution): number {
  if (metric.name === "INP") return metric.attribution.interactionTime ?? 0
  if (metric.name === "CLS") return metric.attribution.largestShiftTime ?? metric.navigationStartTime ?? 0
  return (metric.navigationStartTime ?? 0) + metric.value
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
