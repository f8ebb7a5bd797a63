import { otelTraces, otelTraceTimes, otelTraceTimesView } from "./collector-tables.ts"
import type { SchemaContext } from "./context.ts"
import { addErrorReach, pagespanErrors, pagespanLogs } from "./event-tables.ts"
import { pagespanItems } from "./item-table.ts"
import {
  pagespanDrops,
  pagespanSpans,
  pagespanSpansView,
  pagespanStarts,
  pagespanStartsView,
} from "./pagespan-tables.ts"
import {
  addRetainedErrorReach,
  retainedCopies,
  retainedErrors,
  retainedLogs,
  retainedSpans,
  retainedStarts,
  retainedTraces,
  retainedTraceTimes,
} from "./retained-tables.ts"
import { pagespanRoutes, pagespanRoutesView } from "./route-tables.ts"
import { pagespanRuns } from "./run-table.ts"

/** A table or view that a migration makes. */
interface Creation {
  readonly name: string
  readonly ddl: (context: SchemaContext) => string
  /** The column whose age is the row's, of tables that keep rows. */
  readonly time?: string
}

/** A step forward of the schema. It is never edited once released, and each statement can be run twice. */
interface Migration {
  readonly version: number
  readonly title: string
  readonly creates: readonly Creation[]
  /** Additions to tables of ours. */
  readonly alters?: readonly (() => string)[]
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    title: "spans, as the OpenTelemetry Collector's exporter stores them",
    creates: [
      { name: "otel_traces", ddl: otelTraces, time: "Timestamp" },
      { name: "otel_traces_trace_id_ts", ddl: otelTraceTimes, time: "Start" },
      { name: "otel_traces_trace_id_ts_mv", ddl: otelTraceTimesView },
    ],
  },
  {
    version: 2,
    title: "the trace list, and what the collector's columns do not keep",
    creates: [
      { name: "pagespan_spans", ddl: pagespanSpans, time: "Timestamp" },
      { name: "pagespan_starts", ddl: pagespanStarts, time: "Timestamp" },
      { name: "pagespan_starts_mv", ddl: pagespanStartsView },
      { name: "pagespan_spans_mv", ddl: pagespanSpansView },
    ],
  },
  {
    version: 3,
    title: "drops",
    creates: [{ name: "pagespan_dropped", ddl: pagespanDrops, time: "Time" }],
  },
  {
    version: 4,
    title: "errors and logs",
    creates: [
      { name: "pagespan_errors", ddl: pagespanErrors, time: "Time" },
      { name: "pagespan_logs", ddl: pagespanLogs, time: "Timestamp" },
    ],
  },
  {
    version: 5,
    title: "what was measured of each route, and whom an error met",
    creates: [
      { name: "pagespan_routes", ddl: pagespanRoutes, time: "Timestamp" },
      { name: "pagespan_routes_mv", ddl: pagespanRoutesView },
    ],
    alters: [addErrorReach],
  },
  {
    version: 6,
    title: "runs that were kept",
    creates: [{ name: "pagespan_runs", ddl: pagespanRuns }],
  },
  {
    version: 7,
    title: "items of Sentry envelopes, as they came",
    creates: [{ name: "pagespan_items", ddl: pagespanItems, time: "Time" }],
  },
  {
    version: 8,
    title: "the rows of kept runs, beyond the age of all others",
    creates: [
      { name: "pagespan_retained_traces", ddl: retainedTraces },
      { name: "pagespan_retained_trace_times", ddl: retainedTraceTimes },
      { name: "pagespan_retained_spans", ddl: retainedSpans },
      { name: "pagespan_retained_starts", ddl: retainedStarts },
      { name: "pagespan_retained_errors", ddl: retainedErrors },
      { name: "pagespan_retained_logs", ddl: retainedLogs },
      { name: "pagespan_retained_copies", ddl: retainedCopies },
    ],
    alters: [addRetainedErrorReach],
  },
]

export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0

/** Tables that keep rows, with the column whose age counts. */
export const AGEING_TABLES: ReadonlyMap<string, string> = new Map(
  MIGRATIONS.flatMap(({ creates }) => creates).flatMap(({ name, time }) => (time === undefined ? [] : [[name, time]])),
)
