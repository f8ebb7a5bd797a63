import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import type { ComparedPath, PathChange, PathTotals } from "#otel/inspector/queries/trace/compare-traces.ts"
import { Indent } from "../_waterfall/indent.tsx"
import styles from "./compare-view.module.css"
import { TotalBar } from "./total-bar.tsx"

/** One sign per change, so that colour is not the only signal. */
const SIGNS: Readonly<Record<PathChange, string>> = { added: "+", removed: "−", slower: "▲", faster: "▼", same: "=" }

/** Every span path with its duration in both traces. */
export function PathTable({ paths }: { paths: readonly ComparedPath[] }) {
  const most = paths.reduce((sum, { before, after }) => Math.max(sum, before?.duration ?? 0, after?.duration ?? 0), 1)
  return (
    <ScrollBox label="Differences by path" sideways>
      <table className={styles.paths} aria-label="Paths">
        <thead>
          <tr>
            <th scope="col">Span</th>
            <th scope="col">Change</th>
            <th scope="col">Baseline</th>
            <th scope="col">Current</th>
            <th scope="col" className={styles.number}>
              Difference
            </th>
            <th scope="col" className={styles.number}>
              Self
            </th>
            <th scope="col" className={styles.number}>
              Spans
            </th>
          </tr>
        </thead>
        <tbody>
          {paths.map((path, index) => (
            // The index is unique, and shorter than the full path.
            // oxlint-disable-next-line react/no-array-index-key
            <PathRow key={index} path={path} most={most} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function PathRow({
  path: { name, service, depth, before, after, change },
  most,
}: {
  path: ComparedPath
  most: number
}) {
  return (
    <tr data-change={change}>
      <th scope="row">
        <div className={styles.name}>
          <Indent depth={depth} />
          <bdi>{shownName(name)}</bdi> <small>{shownName(service)}</small>
        </div>
      </th>
      <td className={styles.change}>
        <b aria-hidden="true">{SIGNS[change]}</b> {change}
      </td>
      <td>
        <Total totals={before} most={most} />
      </td>
      <td>
        <Total totals={after} most={most} />
      </td>
      <td className={styles.number}>{difference(before?.duration, after?.duration)}</td>
      <td className={styles.number}>{difference(before?.self, after?.self)}</td>
      <td className={styles.number}>
        {formatCount(before?.count ?? 0)} → {formatCount(after?.count ?? 0)}
      </td>
    </tr>
  )
}

function Total({ totals, most }: { totals: PathTotals | undefined; most: number }) {
  if (totals === undefined) return <small>absent</small>
  return (
    <div className={styles.total}>
      <TotalBar share={totals.duration / most} />
      {formatDuration(BigInt(Math.round(totals.duration)))}
    </div>
  )
}

function difference(before: number | undefined, after: number | undefined): string {
  if (before === undefined || after === undefined) return ""
  const nanos = BigInt(Math.round(after - before))
  return nanos > 0n ? `+${formatDuration(nanos)}` : formatDuration(nanos)
}
