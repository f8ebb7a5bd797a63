import { withoutOwn } from "#otel/query/filter/index.ts"
import type { ParsedTraceListQuery } from "#otel/query/trace-list-query.ts"
import type { TraceScope } from "#otel/query/trace-reader.ts"
import type { OwnActivity } from "#app/feed/own-activity.ts"

/** Which traces the list, its histogram and its facets are about. */
export function scopeOf({ query }: ParsedTraceListQuery, { services, isHidden }: OwnActivity): TraceScope {
  const { since, until, filter } = query
  return { since, until, filter: isHidden ? withoutOwn(filter, services) : filter }
}
