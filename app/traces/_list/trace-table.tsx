import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { COLUMNS } from "./sortable-head.tsx"
import { TraceRow } from "./trace-row.tsx"
import { fullBar } from "./full-bar.ts"
import styles from "./trace-table.module.css"

interface TraceTableProps {
  readonly traces: readonly TraceSummaryJson[]
  /** Accessible name of the table. */
  readonly caption: string
  /** Colours of the whole screen, so that a service has the same colour in every table. */
  readonly colours: ReadonlyMap<string, number>
  /** When the server rendered it, in milliseconds since the epoch. */
  readonly renderedAt: number
}

/** A short list of traces. Bars compare durations within the table. */
export function TraceTable({ traces, caption, colours, renderedAt }: TraceTableProps) {
  const full = fullBar(traces.map(({ durationNano }) => Number(durationNano)))
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {COLUMNS.map(({ label, style }) => (
            <th key={label} scope="col" className={style && styles[style]}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {traces.map((trace) => (
          <TraceRow
            key={trace.traceId}
            trace={trace}
            share={Math.min(1, Number(trace.durationNano) / full)}
            colours={colours}
            renderedAt={renderedAt}
          />
        ))}
      </tbody>
    </table>
  )
}
