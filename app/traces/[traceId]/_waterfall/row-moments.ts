import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"

export interface RowMoment {
  /** Nanoseconds from the earliest start of the trace. */
  readonly at: number
  readonly isException: boolean
}

/** The first events of a row, by time. The columns are ascending by row, so it is looked up, not searched. */
export function momentsOfRow({ events }: WaterfallTable, row: number, limit: number): RowMoment[] {
  const moments: RowMoment[] = []
  for (let index = firstOf(events.row, row); events.row[index] === row && moments.length < limit; index++)
    moments.push({ at: events.offset[index] ?? 0, isException: events.isException(index) })
  return moments
}

function firstOf(rows: Int32Array, row: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle] ?? 0) < row) low = middle + 1
    else high = middle
  }
  return low
}
