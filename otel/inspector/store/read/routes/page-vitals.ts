import { VITALS } from "../../../queries/routes/route-reader.ts"
import { VITAL_SPAN_PREFIX } from "../../../queries/trace/trace-outline.ts"
import { OF_PAGES, SPAN, TRACE } from "./route-sql.ts"

/** SQL of the web vitals of page loads and navigations. */

export const OF_VITALS = `Measure IN (${VITALS.map((vital) => `'${vital}'`).join(", ")})`

/** Orders the values of a vital: the latest final one wins, or the latest. One number sorts faster than a pair. */
export const PRECEDENCE = `toUnixTimestamp64Nano(Timestamp) + if(IsFinal, ${2n ** 62n}, 0)`

/** The vitals of a page, for `perPageSql`: name, number of rows, value and time of each. */
export const VITALS_OF_PAGE = `[${VITALS.map(
  (vital) =>
    `('${vital}', countIf(Measure = '${vital}'), argMaxIf(Value, ${PRECEDENCE}, Measure = '${vital}'),
    maxIf(Timestamp, Measure = '${vital}'))`,
).join(", ")}]`

/** The route of a page, for `perPageSql`. */
export const ROUTE_OF_PAGE = `anyIf(Route, ${OF_PAGES})`

/** Tables as a statement names them, and the rows of them that count. */
export interface MeasuredPages {
  readonly routes: string
  readonly traces: string
  /** A condition on rows of either table. */
  readonly where: string
}

/** Selects columns of each page, such as its vitals, in one pass over the rows of its trace. */
export function perPageSql(columns: string, pages: MeasuredPages): string {
  return `SELECT ${columns} FROM ${withPagesSql(pages)}
    WHERE (${OF_PAGES} OR ${OF_VITALS}) AND ${pages.where} GROUP BY ${TRACE}, measured.Page HAVING countIf(${OF_PAGES}) > 0`
}

/** Rows of `pagespan_routes`, with the id of the page as `measured.Page`: empty if its trace has no other page. */
export function withPagesSql(pages: MeasuredPages): string {
  return `${pages.routes} AS measurement LEFT ANY JOIN (${pagesOfSharedTracesSql(pages)}) AS measured ON SpanId = measured.Span`
}

/**
 * The page of each span with vitals, in traces of several pages, such as those of tests: the vital's parent, or the page itself.
 * In any other trace all vitals are of its page, and nothing is looked up.
 */
function pagesOfSharedTracesSql({ routes, traces, where }: MeasuredPages): string {
  return `SELECT SpanId AS Span, if(startsWith(SpanName, '${VITAL_SPAN_PREFIX}'), ParentSpanId, SpanId) AS Page FROM ${traces}
    WHERE ${where} AND TraceId IN (
      SELECT any(TraceId) FROM ${routes} WHERE ${OF_PAGES} AND ${where} GROUP BY ${TRACE} HAVING min(${SPAN}) != max(${SPAN})
    ) AND (startsWith(SpanName, '${VITAL_SPAN_PREFIX}') OR SpanAttributes['sentry.op'] IN ('pageload', 'navigation'))`
}
