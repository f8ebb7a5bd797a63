import { momentText } from "#app/_ui/format/time.ts"
import { toSegment } from "#app/_ui/input/segment.ts"
import { quoteIfNeeded, termText } from "#otel/inspector/queries/filters.ts"
import type { TimeRange } from "#otel/inspector/queries/list/time-range.ts"
import { SERVICE_WINDOW } from "#otel/inspector/queries/services/service-query.ts"

const MISSING_PARENT = termText("missing", "parent")

export function serviceAddress(service: string): string {
  return `/services/${toSegment(service)}`
}

/** The window as parameters of another screen: an age stays an age, so that its screen follows the clock. */
export function windowParameters({ since, untilText, fromMs, toMs }: TimeRange): Record<string, string> {
  if (untilText === undefined) return { since: since ?? SERVICE_WINDOW }
  return { since: momentText(fromMs), until: momentText(toMs) }
}

/** The list of traces in the window that have a span of the service, and match the filter. */
export function tracesAddress(service: string, filter: string, range: TimeRange, name?: string): string {
  const own = termText("service", service)
  const ofSpan = name === undefined ? own : `{${own} name=${quoteIfNeeded(name)}}`
  const q = filter === "" ? ofSpan : `(${filter}) ${ofSpan}`
  return `/traces?${new URLSearchParams({ q, ...windowParameters(range) })}`
}

/** The list of those traces that lack the parent of a span. */
export function incompleteTracesAddress(service: string, filter: string, range: TimeRange): string {
  const incomplete = filter === "" ? MISSING_PARENT : `(${filter}) ${MISSING_PARENT}`
  return tracesAddress(service, incomplete, range)
}
