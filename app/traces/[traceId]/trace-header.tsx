import type { SpanRecord } from "#otel/model/span.ts"
import { serviceName } from "#otel/model/span.ts"
import type { WaterfallJson } from "#otel/query/waterfall-json.ts"
import { CopyButton } from "#app/ui/copy-button.tsx"
import { countOf, formatCount } from "#app/ui/format-count.ts"
import { formatDuration } from "#app/ui/format-duration.ts"
import { formatMoment, isoTime } from "#app/ui/format-time.ts"
import { ErrorIcon } from "#app/ui/icons.tsx"
import { Notices } from "#app/ui/notices.tsx"
import { serviceColours } from "#app/ui/service-colours.ts"
import { ServiceName } from "#app/ui/service-name.tsx"
import { shownName } from "#app/ui/shown-text.ts"
import styles from "./trace-header.module.css"

interface TraceHeaderProps {
  readonly traceId: string
  readonly name: string
  readonly spans: readonly SpanRecord[]
  readonly waterfall: WaterfallJson
}

export function TraceHeader({ traceId, name, spans, waterfall }: TraceHeaderProps) {
  const start = BigInt(waterfall.startTimeUnixNano)
  const errors = spans.filter(({ status }) => status.code === "error").length
  return (
    <>
      <header className={styles.header}>
        <h1 title={shownName(name)}>
          <bdi>{shownName(name)}</bdi>
        </h1>
        <ul className={styles.facts} aria-label="About this trace">
          <li>{formatDuration(BigInt(waterfall.durationNano))}</li>
          <li>{countOf(waterfall.spanCount, "span")}</li>
          {errors > 0 && (
            <li className={styles.errors}>
              <ErrorIcon /> {countOf(errors, "error")}
            </li>
          )}
          <li>
            <time dateTime={isoTime(start)}>{formatMoment(start)}</time>
          </li>
          <li>
            <code>{traceId}</code>
            <CopyButton text={traceId} what="trace id" />
          </li>
          <li>
            <a href={`/api/traces/${traceId}`}>JSON</a>
          </li>
        </ul>
        <Legend spans={spans} />
      </header>
      <Notices notices={notices(waterfall)} />
    </>
  )
}

function Legend({ spans }: { spans: readonly SpanRecord[] }) {
  const counts = new Map<string, number>()
  for (const { resource } of spans) {
    const service = serviceName(resource)
    counts.set(service, (counts.get(service) ?? 0) + 1)
  }
  const colours = serviceColours(counts.keys())
  return (
    <ul className={styles.legend} aria-label="Services">
      {[...counts].map(([service, count]) => (
        <li key={service}>
          <ServiceName name={service} colour={colours.get(service)} /> <small>{formatCount(count)}</small>
        </li>
      ))}
    </ul>
  )
}

/** Ids of missing parents that are named; the others are counted. */
const NAMED_PARENTS = 3

function notices({ missingParents, ringCount }: WaterfallJson): string[] {
  const said: string[] = []
  if (missingParents.length > 0) {
    const others = missingParents.length - NAMED_PARENTS
    const named =
      missingParents.slice(0, NAMED_PARENTS).join(", ") + (others > 0 ? ` and ${formatCount(others)} more` : "")
    said.push(
      `${countOf(missingParents.length, "parent span")} missing: ${named}. Not sampled, not sent here, or still on the way. What is below stands at the top level.`,
    )
  }
  if (ringCount > 0)
    said.push(
      `${countOf(ringCount, "ring")} of spans that name each other as parents: cut at the earliest span of each.`,
    )
  return said
}
