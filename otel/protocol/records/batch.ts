import type { ItemRecord } from "./envelope-item.ts"
import type { ErrorEvent } from "./error.ts"
import type { LogRecord } from "./log.ts"
import type { SpanRecord } from "./span.ts"

/** Records that arrived together. They are ingested together: all of them or none. */
export interface RecordBatch {
  readonly spans: readonly SpanRecord[]
  readonly errors: readonly ErrorEvent[]
  readonly logs: readonly LogRecord[]
  readonly items: readonly ItemRecord[]
}

const NONE: RecordBatch = Object.freeze({ spans: [], errors: [], logs: [], items: [] })

export function recordBatch(parts: Partial<RecordBatch>): RecordBatch {
  return { ...NONE, ...parts }
}

export function countRecords({ spans, errors, logs, items }: RecordBatch): number {
  return spans.length + errors.length + logs.length + items.length
}
