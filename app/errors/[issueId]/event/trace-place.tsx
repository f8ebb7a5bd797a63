import Link from "next/link"
import type { ErrorEvent } from "#otel/model/error-event.ts"
import { errorTitle } from "#otel/model/error-event.ts"
import type { PathSpan } from "#otel/query/error-reader.ts"
import { formatDuration } from "#app/ui/format-duration.ts"
import { ErrorIcon } from "#app/ui/icons.tsx"
import { ServiceName } from "#app/ui/service-name.tsx"
import { serviceColours } from "#app/ui/service-colours.ts"
import { shownName } from "#app/ui/shown-text.ts"
import styles from "./trace-place.module.css"

interface TracePlaceProps {
  readonly event: ErrorEvent
  /** The span in which it happened and those around it, the outermost first. */
  readonly path: readonly PathSpan[]
  readonly others: readonly ErrorEvent[]
}

/** Where in its trace the error happened, on the trace's own time. */
export function TracePlace({ event, path, others }: TracePlaceProps) {
  const { traceId, spanId } = event
  if (traceId === undefined) return <p className={styles.none}>This event names no trace.</p>
  const [outermost] = path
  const colours = serviceColours(path.map(({ service }) => service))
  return (
    <>
      <p className={styles.whole}>
        <Link href={`/traces/${traceId}${spanId === undefined ? "" : `?span=${spanId}`}`} prefetch={false}>
          Open the trace{spanId !== undefined && " at this span"}
        </Link>{" "}
        <code className={styles.id}>{traceId}</code>
      </p>
      {outermost === undefined ? (
        <p className={styles.none}>The span has not arrived, or went by retention or sampling.</p>
      ) : (
        <ol className={styles.path}>
          {path.map((span, depth) => (
            <li key={span.spanId} data-here={span.spanId === spanId}>
              <Link href={`/traces/${traceId}?span=${span.spanId}`} prefetch={false}>
                <span aria-hidden="true">{"· ".repeat(Math.min(depth, 12))}</span>
                <bdi>{shownName(span.name)}</bdi>
              </Link>
              {span.spanId === spanId && (
                <b className={styles.here}>
                  <ErrorIcon /> here
                </b>
              )}
              <ServiceName name={span.service} colour={colours.get(span.service)} />
              <Bar span={span} whole={outermost} at={span.spanId === spanId ? event.time : undefined} />
              <span className={styles.length}>{formatDuration(span.duration)}</span>
            </li>
          ))}
        </ol>
      )}
      {others.length > 0 && (
        <>
          <h3 className={styles.heading}>Other errors of this trace</h3>
          <ul className={styles.others}>
            {others.map((other) => (
              <li key={other.eventId}>
                <Link href={`/errors/${other.issueId}?event=${other.eventId}`} prefetch={false}>
                  <bdi>{shownName(errorTitle(other))}</bdi>
                </Link>{" "}
                <span className={styles.none}>{shownName(other.service)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** The span's time within the outermost one's, and the moment of the error. The lengths are told as text beside it. */
function Bar({ span, whole, at }: { span: PathSpan; whole: PathSpan; at: bigint | undefined }) {
  const share = (time: bigint) => {
    const length = Number(whole.duration) || 1
    return Math.min(100, Math.max(0, (Number(time - whole.startTime) / length) * 100))
  }
  const from = share(span.startTime)
  const to = share(span.startTime + span.duration)
  return (
    <svg className={styles.bar} aria-hidden="true" focusable="false">
      <rect width="100%" height="100%" className={styles.track} />
      <rect x={`${from}%`} width={`${Math.max(0.5, to - from)}%`} height="100%" className={styles.fill} />
      {at !== undefined && (
        <line x1={`${share(at)}%`} x2={`${share(at)}%`} y1="0" y2="100%" className={styles.moment} />
      )}
    </svg>
  )
}
