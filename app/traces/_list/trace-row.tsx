import Link from "next/link"
import { memo } from "react"
import { Age } from "#app/_ui/format/age.tsx"
import { DurationBar } from "#app/_ui/format/duration-bar.tsx"
import { BurstIcon, ErrorIcon } from "#app/_ui/format/icons.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, sourceName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { ServiceNames } from "./service-names.tsx"
import styles from "./trace-table.module.css"

interface TraceRowProps {
  readonly trace: TraceSummaryJson
  /** Index in the list, where not all rows are in the document. */
  readonly place?: number
  readonly isActive?: boolean
  /** Duration relative to the longest in the table, 0 to 1. */
  readonly share: number
  readonly colours: ReadonlyMap<string, number>
  readonly renderedAt: number
}

/** Memoized, because a live batch changes few of many rows. */
export const TraceRow = memo(function TraceRow({ trace, place, isActive, share, colours, renderedAt }: TraceRowProps) {
  const name = shownName(trace.name)
  return (
    <tr data-row={place} data-active={isActive} aria-rowindex={place === undefined ? undefined : place + 2}>
      <th scope="row" className={styles.name}>
        <Link href={`/traces/${trace.traceId}`} prefetch={false} title={name}>
          <bdi>{name}</bdi>
        </Link>
        {trace.provisional && (
          <span
            className={styles.provisional}
            title="The root span has not arrived. The earliest span names the trace until then."
          >
            no root yet
          </span>
        )}
        <span className={styles.below}>
          <ServiceNames names={trace.services} colours={colours} />
        </span>
      </th>
      <td className={styles.services}>
        <ServiceNames names={trace.services} colours={colours} />
      </td>
      <td className={styles.duration}>
        <DurationBar share={share} />
        <span>{formatDuration(BigInt(trace.durationNano))}</span>
      </td>
      <td className={styles.number}>{formatCount(trace.spanCount)}</td>
      <Errors failed={trace.errorCount} reported={trace.reportedErrorCount ?? 0} />
      <td className={styles.source}>{trace.sources.map(sourceName).join(", ")}</td>
      <td className={styles.age}>
        <Age unixNano={trace.startTimeUnixNano} renderedAt={renderedAt} />
      </td>
    </tr>
  )
})

/** Spans that failed; without one, the errors that were reported, which the trace's chart marks by the same icon. */
function Errors({ failed, reported }: { readonly failed: number; readonly reported: number }) {
  const parts = [failed > 0 && countOf(failed, "failed span"), reported > 0 && countOf(reported, "reported error")]
  const title = parts.filter(Boolean).join(", ")
  return (
    <td className={styles.number} data-zero={title === ""} title={title || undefined}>
      {failed > 0 ? <ErrorIcon /> : reported > 0 && <BurstIcon />} {formatCount(failed || reported)}
      {failed === 0 && reported > 0 && <span className="visually-hidden"> reported</span>}
    </td>
  )
}
