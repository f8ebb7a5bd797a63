import Link from "next/link"
import type { TraceSummaryJson } from "#otel/wire/trace-summary-json.ts"
import { Age } from "#app/ui/age.tsx"
import { DurationBar } from "#app/ui/duration-bar.tsx"
import { formatCount } from "#app/ui/format-count.ts"
import { formatDuration } from "#app/ui/format-duration.ts"
import { ErrorIcon } from "#app/ui/icons.tsx"
import { sourceName } from "#app/ui/source-name.ts"
import { ServiceName } from "#app/ui/service-name.tsx"
import { shownName } from "#app/ui/shown-text.ts"
import styles from "./trace-table.module.css"

interface TraceRowProps {
  readonly trace: TraceSummaryJson
  /** Of the longest duration in the table. */
  readonly share: number
  readonly colours: ReadonlyMap<string, number>
  readonly renderedAt: number
}

/** Services shown by name in one row; the number of the others follows. */
const NAMED_SERVICES = 3

export function TraceRow({ trace, share, colours, renderedAt }: TraceRowProps) {
  const name = shownName(trace.name)
  return (
    <tr>
      <th scope="row" className={styles.name}>
        <Link href={`/traces/${trace.traceId}`} prefetch={false} title={name}>
          <bdi>{name}</bdi>
        </Link>
        <Services names={trace.services.slice(0, 1)} colours={colours} className={styles.below} />
      </th>
      <td className={styles.services}>
        <Services names={trace.services} colours={colours} />
      </td>
      <td className={styles.duration}>
        <DurationBar share={share} />
        <span>{formatDuration(BigInt(trace.durationNano))}</span>
      </td>
      <td className={styles.number}>{formatCount(trace.spanCount)}</td>
      <td className={styles.number} data-zero={trace.errorCount === 0}>
        {trace.errorCount > 0 && <ErrorIcon />} {formatCount(trace.errorCount)}
      </td>
      <td className={styles.source}>{trace.sources.map(sourceName).join(", ")}</td>
      <td className={styles.age}>
        <Age unixNano={trace.startTimeUnixNano} renderedAt={renderedAt} />
      </td>
    </tr>
  )
}

interface ServicesProps {
  readonly names: readonly string[]
  readonly colours: ReadonlyMap<string, number>
  readonly className?: string | undefined
}

function Services({ names, colours, className }: ServicesProps) {
  const others = names.slice(NAMED_SERVICES)
  return (
    <span className={className}>
      {names.slice(0, NAMED_SERVICES).map((name) => (
        <span key={name} className={styles.one}>
          <ServiceName name={name} colour={colours.get(name)} />
        </span>
      ))}
      {others.length > 0 && <span title={others.map(shownName).join(", ")}>+{others.length}</span>}
    </span>
  )
}
