import Link from "next/link"
import { Age } from "#app/_ui/format/age.tsx"
import { DurationBar } from "#app/_ui/format/duration-bar.tsx"
import { FailedMark } from "#app/_ui/format/failed-mark.tsx"
import table from "#app/_ui/layout/data-table.module.css"
import { formatMs, KIND_NAMES } from "#app/routes/figures.ts"
import type { RouteKind, RouteTrace } from "#otel/inspector/queries/routes/route-reader.ts"
import styles from "./route-view.module.css"

interface SlowestTracesProps {
  readonly traces: readonly RouteTrace[]
  readonly kind: RouteKind
  readonly renderedAt: number
}

export function SlowestTraces({ traces, kind, renderedAt }: SlowestTracesProps) {
  const longest = traces[0]?.value || 1
  return (
    <section aria-labelledby="slowest">
      <h2 id="slowest">Slowest {KIND_NAMES[kind].many.toLowerCase()}</h2>
      <table className={table.table} aria-labelledby="slowest">
        <thead>
          <tr>
            <th scope="col">Trace</th>
            <th scope="col" className={styles.bar}>
              Duration
            </th>
            <th scope="col" className={table.small}>
              Age
            </th>
          </tr>
        </thead>
        <tbody>
          {traces.map(({ traceId, value, failed, startTime }) => (
            <tr key={traceId}>
              <th scope="row">
                <Link href={`/traces/${traceId}`} prefetch={false}>
                  <code>{traceId.slice(0, 12)}…</code>
                </Link>{" "}
                {failed && <FailedMark />}
              </th>
              <td className={styles.bar}>
                <DurationBar share={value / longest} /> {formatMs(value)}
              </td>
              <td className={`${table.small} ${table.muted}`}>
                <Age unixNano={String(startTime)} renderedAt={renderedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
