import { logsToJson } from "../../../protocol/otlp/logs-json.ts"
import { tracesToJson } from "../../../protocol/otlp/traces-json.ts"
import type { TraceId } from "../../../protocol/records/ids.ts"
import { fromMilliseconds, nanoseconds } from "../../../protocol/records/time.ts"
import { DROPPED_FIELD, type DropGroup, type DropReader, type RecordedDrop } from "../drops/drop-reader.ts"
import type { ErrorReader } from "../errors/error-reader.ts"
import type { TraceReader } from "../list/trace-reader.ts"
import type { TraceSummary } from "../list/trace-summary.ts"
import type { LogReader } from "../logs/log-reader.ts"
import { readInBatches } from "../trace/span-batches.ts"
import { exceptionLog } from "./exception-log.ts"

/** What an inspector has stored, as lines of OTLP/JSON that `pagespan import`, the screens and the Collector read. */

/** What a recording holds. */
export interface RecordingCounts {
  traces: number
  spans: number
  logs: number
  /** Errors of Sentry, each written as a log record with exception attributes. */
  errors: number
  /** Spans of traces that have more than one answer may hold. */
  omittedSpans: number
  dropped: readonly DropGroup[]
}

/** What a recording reads of the store. */
interface Reader
  extends
    Pick<TraceReader, "listTraces" | "readTrace" | "readTraces" | "readOutline" | "readSpans">,
    Pick<LogReader, "listLogs">,
    Pick<ErrorReader, "pageErrorEvents">,
    Pick<DropReader, "overviewDrops"> {}

const PAGE = 1_000
/** Spans that one statement reads; a larger trace is read in batches of its own. */
const SPANS_PER_READ = 5_000
const TRACES_PER_READ = 200
/** Characters of a line. Ingest endpoints accept 20 MiB. */
const LINE_LIMIT = 4 * 2 ** 20
const A_DAY_MS = 86_400_000

/** @param counts receives what the lines hold. */
export async function* recordingLines(reader: Reader, counts: RecordingCounts): AsyncGenerator<string> {
  yield* traceLines(reader, counts)
  yield* logLines(reader, counts)
  yield* errorLines(reader, counts)
  counts.dropped = await readDrops(reader)
  if (counts.dropped.length > 0) yield dropLine(counts.dropped)
}

export function emptyRecording(): RecordingCounts {
  return { traces: 0, spans: 0, logs: 0, errors: 0, omittedSpans: 0, dropped: [] }
}

async function* traceLines(reader: Reader, counts: RecordingCounts): AsyncGenerator<string> {
  let after: string | undefined
  do {
    const { traces, next } = await reader.listTraces({ limit: PAGE, after })
    counts.traces += traces.length
    for (const some of readable(traces)) {
      const [only] = some
      if (only !== undefined && only.spanCount > SPANS_PER_READ) yield* largeTraceLines(reader, only.traceId, counts)
      else {
        const spans = await reader.readTraces(some.map(({ traceId }) => traceId))
        counts.spans += spans.length
        yield* lines(spans, tracesToJson)
      }
    }
    after = next
  } while (after !== undefined)
}

/** Groups of traces that one statement reads. A trace that is too large is a group of its own. */
function readable(traces: readonly TraceSummary[]): TraceSummary[][] {
  const groups: TraceSummary[][] = []
  let spans = Infinity
  for (const trace of traces) {
    spans += trace.spanCount
    const last = groups.at(-1)
    if (last !== undefined && spans <= SPANS_PER_READ && last.length < TRACES_PER_READ) last.push(trace)
    else {
      groups.push([trace])
      spans = trace.spanCount
    }
  }
  return groups
}

async function* largeTraceLines(reader: Reader, traceId: TraceId, counts: RecordingCounts): AsyncGenerator<string> {
  const trace = await readInBatches(reader, traceId)
  if (trace === undefined) return
  counts.spans += trace.spanCount
  counts.omittedSpans += trace.storedCount - trace.spanCount
  for await (const spans of trace.batches) yield* lines(spans, tracesToJson)
}

async function* logLines(reader: Reader, counts: RecordingCounts): AsyncGenerator<string> {
  let after: string | undefined
  do {
    const { logs, next } = await reader.listLogs({ limit: PAGE, after, isOldestFirst: true })
    counts.logs += logs.length
    yield* lines(logs, logsToJson)
    after = next
  } while (after !== undefined)
}

/** Errors that no span and no log holds. Those of OTLP are in their spans and logs. */
async function* errorLines(reader: Reader, counts: RecordingCounts): AsyncGenerator<string> {
  let after: string | undefined
  do {
    const { events, next } = await reader.pageErrorEvents({ source: "sentry", limit: PAGE, after })
    counts.errors += events.length
    yield* lines(events.map(exceptionLog), logsToJson)
    after = next
  } while (after !== undefined)
}

async function readDrops(reader: Reader): Promise<readonly DropGroup[]> {
  const untilMs = Date.now() + A_DAY_MS
  const scope = { from: nanoseconds(0n), until: fromMilliseconds(untilMs) }
  return (await reader.overviewDrops(scope, { fromMs: 0, stepMs: untilMs, count: 1 })).groups
}

function dropLine(dropped: readonly DropGroup[]): string {
  const entries = dropped.map(({ stage, reason, category, count }): RecordedDrop => ({
    stage,
    reason,
    category,
    count,
  }))
  return JSON.stringify({ resourceSpans: [], [DROPPED_FIELD]: entries })
}

/** The records in one line, or in several where one would be too long. */
function* lines<Item>(records: readonly Item[], encode: (records: readonly Item[]) => object): Generator<string> {
  if (records.length === 0) return
  const text = JSON.stringify(encode(records))
  if (text.length <= LINE_LIMIT || records.length === 1) return void (yield text)
  const half = Math.ceil(records.length / 2)
  yield* lines(records.slice(0, half), encode)
  yield* lines(records.slice(half), encode)
}
