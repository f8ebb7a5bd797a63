import type { ErrorMark, VitalMark } from "#otel/query/trace-marks.ts"
import type { WaterfallJson } from "#otel/query/waterfall-json.ts"

/** A trace as its screen is given it. */
export interface TraceScreenView {
  readonly traceId: string
  readonly name: string
  readonly service: string
  /** Its first rows, where the trace is large. */
  readonly waterfall: WaterfallJson
  readonly vitals: readonly VitalMark[]
  readonly errors: readonly ErrorMark[]
}
