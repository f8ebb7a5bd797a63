import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { withoutInternal } from "#otel/inspector/queries/filters.ts"
import type { ParsedTraceListQuery } from "#otel/inspector/queries/list/trace-list-query.ts"
import type { TraceScope } from "#otel/inspector/queries/list/trace-reader.ts"

/** The traces that list, histogram and facets cover. */
export function scopeOf({ query }: ParsedTraceListQuery, { services, isHidden }: InternalTelemetry): TraceScope {
  const { since, until, filter } = query
  return { since, until, filter: isHidden ? withoutInternal(filter, services) : filter }
}
