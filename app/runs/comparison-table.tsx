import Link from "next/link"
import { ErrorIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import { termText } from "#otel/inspector/queries/filters.ts"
import type { Comparison } from "#otel/inspector/queries/list/compare-runs.ts"
import type { EntryStats } from "#otel/inspector/queries/list/entry-stats.ts"
import styles from "./runs.module.css"

/** Smaller changes of the median are noise: two runs of the same code differ as much. */
const NOTABLE = 1.1

interface ComparisonTableProps {
  readonly rows: readonly Comparison[]
  readonly a: string
  readonly b: string
}

/** Counts, errors and durations by route, for two runs side by side. */
export function ComparisonTable({ rows, a, b }: ComparisonTableProps) {
  if (rows.length === 0) return <p className={styles.about}>Neither run has a root or server span with a route.</p>
  return (
    <ScrollBox label="Comparison of two runs" sideways>
      <table className={styles.table} aria-label={`${shownName(a)} and ${shownName(b)} by route`}>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              Route
            </th>
            <th scope="colgroup" colSpan={4} className={styles.side}>
              {shownName(a)}
            </th>
            <th scope="colgroup" colSpan={4} className={styles.side}>
              {shownName(b)}
            </th>
            <th scope="col" rowSpan={2} className={styles.number}>
              Median
            </th>
          </tr>
          <tr>
            {[a, b].map((name, side) =>
              ["Count", "Errors", "p50", "p95"].map((label) => (
                <th key={`${side} ${name} ${label}`} scope="col" className={styles.number}>
                  {label}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.entry} ${row.route}`}>
              <th scope="row">
                <bdi>{shownName(row.route)}</bdi> <small>{shownName(row.entry)}</small>
              </th>
              <Side stats={row.a} run={a} route={row.route} />
              <Side stats={row.b} run={b} route={row.route} />
              <td className={styles.number} data-change={weightOf(row.change)}>
                {changeText(row.change)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function Side({ stats, run, route }: { stats: EntryStats | undefined; run: string; route: string }) {
  if (stats === undefined)
    return (
      <td colSpan={4} className={styles.side}>
        Absent
      </td>
    )
  const filter = `${termText("run", run)} ${termText("route", route)}`
  return (
    <>
      <td className={styles.number}>
        <Link href={`/traces?${new URLSearchParams({ q: filter })}`} prefetch={false}>
          {formatCount(stats.count)}
        </Link>
      </td>
      <td className={styles.number} data-failed={stats.failed > 0}>
        {stats.failed > 0 && <ErrorIcon />} {formatCount(stats.failed)}
      </td>
      <td className={styles.number}>{formatDuration(stats.p50)}</td>
      <td className={styles.number}>{formatDuration(stats.p95)}</td>
    </>
  )
}

function changeText(change: number | undefined): string {
  if (change === undefined) return "–"
  const percent = Math.round((change - 1) * 100)
  return `${percent > 0 ? "▲ +" : percent < 0 ? "▼ −" : ""}${Math.abs(percent)} %`
}

function weightOf(change: number | undefined): "slower" | "faster" | undefined {
  if (change === undefined) return undefined
  return change >= NOTABLE ? "slower" : change <= 1 / NOTABLE ? "faster" : undefined
}
