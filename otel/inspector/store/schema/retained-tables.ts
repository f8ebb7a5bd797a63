import { otelTraces, otelTraceTimes } from "./collector-tables.ts"
import type { SchemaContext } from "./context.ts"
import { addErrorReach, pagespanErrors, pagespanLogs } from "./event-tables.ts"
import { pagespanSpans, pagespanStarts } from "./pagespan-tables.ts"

/** The table as it is made for what ages, for the rows of kept runs: the run beside them, a partition each, no age. */
function keptTable(ddl: (context: SchemaContext) => string, name: string): (context: SchemaContext) => string {
  return (context) =>
    ddl(context)
      .replace(
        /^CREATE TABLE IF NOT EXISTS \w+ \(/,
        `CREATE TABLE IF NOT EXISTS ${name} (\n  Run String CODEC(ZSTD(1)),`,
      )
      .replace(/^PARTITION BY .*$/m, "PARTITION BY Run")
      .replace(/^TTL .*\n/m, "")
}

export const retainedTraces = keptTable(otelTraces, "pagespan_retained_traces")
export const retainedTraceTimes = keptTable(otelTraceTimes, "pagespan_retained_trace_times")
export const retainedSpans = keptTable(pagespanSpans, "pagespan_retained_spans")
export const retainedStarts = keptTable(pagespanStarts, "pagespan_retained_starts")
export const retainedErrors = keptTable(pagespanErrors, "pagespan_retained_errors")
export const retainedLogs = keptTable(pagespanLogs, "pagespan_retained_logs")

export function addRetainedErrorReach(): string {
  return addErrorReach().replace("pagespan_errors", "pagespan_retained_errors")
}

/** What has been copied of each run: traces that began before `CopiedTo`. */
export function retainedCopies(): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_retained_copies (
  Run String CODEC(ZSTD(1)),
  CopiedTo DateTime64(9) CODEC(ZSTD(1)),
  Traces UInt64 CODEC(ZSTD(1)),
  Spans UInt64 CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY Run
ORDER BY CopiedTo`
}
