import type { RouteKind } from "#otel/inspector/queries/routes/route-reader.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { serviceName } from "#otel/protocol/records/span.ts"
import { byTrace, groupBy, isPage, isVitalSpan, isWithin, kindOf, ms, quantile, routeOf } from "./expected-figures.ts"
import type { Window } from "./expected-figures.ts"
import type { Generated } from "./generated-traces.ts"

/** What `docs/reference/screens.md` says that the child spans of a route are, counted span by span. */
export function expectedChildren({ spans }: Generated, window: Window, kind: RouteKind, route: string) {
  const isOfRoute = (span: SpanRecord) =>
    kindOf(span) === kind && routeOf(span) === route && isWithin(span.startTime, window)
  const traces = [...byTrace(spans).values()].filter((trace) => trace.some(isOfRoute))
  const counted = traces.flatMap((trace) => {
    const own = new Set(trace.filter(isOfRoute))
    const children = trace.filter((span) => !own.has(span) && !isVitalSpan(span))
    return trace.filter(isPage).length > 1 ? children.filter((span) => belongsTo(own, span, trace)) : children
  })
  const named = groupBy(counted, (span) => `${span.name} ${serviceName(span.resource)}`)
  const rows = [...named].map(([key, of]) => {
    const durations = of.map(ms)
    const total = durations.reduce((sum, each) => sum + each, 0)
    return [key, [of.length, byTrace(of).size, quantile(durations, 0.5), Number(total.toFixed(3))]] as const
  })
  return { rows: new Map(rows), traces: traces.length }
}

/** Whether a span belongs to a page of the route, or else is below a request of the route that belongs to no page. */
function belongsTo(ofRoute: ReadonlySet<SpanRecord>, span: SpanRecord, trace: readonly SpanRecord[]): boolean {
  const page = pageOf(span, trace)
  if (page === undefined) return above(span, trace).some((each) => ofRoute.has(each))
  return [...ofRoute].some((each) => pageOf(each, trace) === page)
}

function pageOf(span: SpanRecord, trace: readonly SpanRecord[]): SpanRecord | undefined {
  for (const each of above(span, trace)) {
    if (isPage(each)) return each
    const [page, another] = trace.filter((one) => isPage(one) && above(one, trace).includes(each))
    if (another === undefined && page !== undefined) return page
  }
  return undefined
}

/** The span and those that it is below. */
function above(span: SpanRecord, trace: readonly SpanRecord[]): readonly SpanRecord[] {
  const parent = trace.find(({ spanId }) => spanId === span.parentSpanId)
  return parent === undefined ? [span] : [span, ...above(parent, trace)]
}
