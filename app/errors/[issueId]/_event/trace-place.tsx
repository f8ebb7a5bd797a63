import Link from "next/link"
import { ErrorIcon } from "#app/_ui/format/icons.tsx"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import type { PathSpan } from "#otel/inspector/queries/errors/error-reader.ts"
import { type ErrorEvent, errorTitle } from "#otel/inspector/queries/records.ts"
import { type Place, PlaceBar } from "./place-bar.tsx"
import styles from "./trace-place.module.css"

interface TracePlaceProps {
  readonly event: ErrorEvent
  /** The span of the error and its ancestors, root first. */
  readonly path: readonly PathSpan[]
  readonly others: readonly ErrorEvent[]
}

/** Where in its trace the error happened, on a time axis. */
export function TracePlace({ event, path, others }: TracePlaceProps) {
  const { traceId, spanId } = event
  if (traceId === undefined) return <p className={styles.none}>This event has no trace.</p>
  const extent = extentOf(path)
  const colours = serviceColours(path.map(({ service }) => service))
  return (
    <>
      <p className={styles.link}>
        <Link href={`/traces/${traceId}${spanId === undefined ? "" : `?span=${spanId}`}`} prefetch={false}>
          Open trace{spanId !== undefined && " at this span"}
        </Link>{" "}
        <code className={styles.id}>{traceId}</code>
      </p>
      {path.length === 0 ? (
        <p className={styles.none}>The span is not stored: it has not arrived, was sampled out or has expired.</p>
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
              <PlaceBar {...placeOf(span, extent, span.spanId === spanId ? event.time : undefined)} />
              <span className={styles.length}>{formatDuration(span.duration)}</span>
            </li>
          ))}
        </ol>
      )}
      {others.length > 0 && (
        <>
          <h3 className={styles.heading}>Other errors in this trace</h3>
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

interface Extent {
  readonly start: bigint
  readonly end: bigint
}

/** A span may end after its parent: a page outlives the response that started it. */
function extentOf(path: readonly PathSpan[]): Extent {
  const starts = path.map(({ startTime }) => startTime)
  const ends = path.map(({ startTime, duration }) => startTime + duration)
  return {
    start: starts.reduce((least, start) => (start < least ? start : least), starts[0] ?? 0n),
    end: ends.reduce((most, end) => (end > most ? end : most), ends[0] ?? 0n),
  }
}

/** Percent of the extent. */
function placeOf({ startTime, duration }: PathSpan, { start, end }: Extent, moment: bigint | undefined): Place {
  const length = Number(end - start) || 1
  const share = (time: bigint) => Math.min(100, Math.max(0, (Number(time - start) / length) * 100))
  return {
    from: share(startTime),
    to: share(startTime + duration),
    moment: moment === undefined ? undefined : share(moment),
  }
}
