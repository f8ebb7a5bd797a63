import type { TraceSummaryJson } from "#otel/wire/trace-summary-json.ts"
import { TraceRow } from "#app/traces/trace-row.tsx"
import styles from "./trace-table.module.css"

interface TraceTableProps {
  readonly traces: readonly TraceSummaryJson[]
  /** What the table is a list of, for those who do not see where it stands. */
  readonly caption: string
  /** One set of colours for the whole screen, or a service would change its colour from table to table. */
  readonly colours: ReadonlyMap<string, number>
  /** When the server rendered it, in milliseconds since the epoch. */
  readonly renderedAt: number
}

/** One row a trace; the bars compare durations within the table. */
export function TraceTable({ traces, caption, colours, renderedAt }: TraceTableProps) {
  const longest = Math.max(1, ...traces.map(({ durationNano }) => Number(durationNano)))
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Trace</th>
          <th scope="col" className={styles.services}>
            Services
          </th>
          <th scope="col" className={styles.duration}>
            Duration
          </th>
          <th scope="col" className={styles.number}>
            Spans
          </th>
          <th scope="col" className={styles.number}>
            Errors
          </th>
          <th scope="col" className={styles.source}>
            Source
          </th>
          <th scope="col" className={styles.age}>
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {traces.map((trace) => (
          <TraceRow
            key={trace.traceId}
            trace={trace}
            share={Number(trace.durationNano) / longest}
            colours={colours}
            renderedAt={renderedAt}
          />
        ))}
      </tbody>
    </table>
  )
}
