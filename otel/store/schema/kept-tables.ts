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

export const keptTraces = keptTable(otelTraces, "pagespan_kept_traces")
export const keptTraceTimes = keptTable(otelTraceTimes, "pagespan_kept_trace_times")
export const keptSpans = keptTable(pagespanSpans, "pagespan_kept_spans")
export const keptStarts = keptTable(pagespanStarts, "pagespan_kept_starts")
export const keptErrors = keptTable(pagespanErrors, "pagespan_kept_errors")
export const keptLogs = keptTable(pagespanLogs, "pagespan_kept_logs")

export function addKeptErrorReach(): string {
  return addErrorReach().replace("pagespan_errors", "pagespan_kept_errors")
}

/** What has been copied of each run: traces that began before `CopiedTo`. */
export function keptCopies(): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_kept_copies (
  Run String CODEC(ZSTD(1)),
  CopiedTo DateTime64(9) CODEC(ZSTD(1)),
  Traces UInt64 CODEC(ZSTD(1)),
  Spans UInt64 CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY Run
ORDER BY CopiedTo`
}
