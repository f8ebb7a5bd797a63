import Link from "next/link"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { FailedMark } from "#app/_ui/format/failed-mark.tsx"
import { ErrorIcon } from "#app/_ui/format/icons.tsx"
import { countOf } from "#app/_ui/format/quantity.ts"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { Moment } from "#app/_ui/format/moment.tsx"
import { formatDuration, isoTime } from "#app/_ui/format/time.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"
import { KIND_NAMES } from "#app/routes/figures.ts"
import { VitalMark } from "#app/routes/vital-mark.tsx"
import { VITALS } from "#otel/inspector/queries/routes/route-reader.ts"
import { type JourneyStep, journeyOf } from "#otel/inspector/queries/sessions/journey.ts"
import type { Session, SessionError, SessionView } from "#otel/inspector/queries/sessions/session-reader.ts"
import styles from "./session-screen.module.css"

/** A shorter pause between two views is part of using a site. */
const PAUSE_NS = 60_000_000_000n

/** What one visitor did: each page load and navigation with its vitals and errors, and the pauses between them. */
export function SessionScreen({ session, own }: { session: Session; own: InternalTelemetry }) {
  const { sessionId, views, errors, isCut } = session
  const steps = journeyOf(session)
  const begin = beginOf(session)
  const colours = serviceColours(views.map(({ service }) => service))
  return (
    <RefreshOnLive own={own}>
      <ScreenBar title="Session">
        <code className={styles.id}>{shownName(sessionId)}</code>
        <CopyButton text={sessionId} what="session id" />
        <p>{summary(views, errors)}</p>
      </ScreenBar>
      <Notices notices={isCut ? ["The session has more spans or errors than the first that are shown here."] : []} />
      <p className={styles.begin}>
        Started <Moment unixNano={begin} />
      </p>
      <ol className={styles.steps} aria-label="Views and errors by time">
        {steps.map((step) => (
          <Step key={step.view?.spanId ?? "before"} step={step} begin={begin} colours={colours} />
        ))}
      </ol>
    </RefreshOnLive>
  )
}

function beginOf({ views, errors }: Session): bigint {
  const times = [views[0]?.startTime, errors[0]?.time].filter((time) => time !== undefined)
  return times.reduce<bigint>((least, time) => (time < least ? time : least), times[0] ?? 0n)
}

function summary(views: readonly SessionView[], errors: readonly SessionError[]): string {
  const of = (kind: SessionView["kind"]) => views.filter((view) => view.kind === kind).length
  const others = of("other")
  return [
    countOf(of("pageload"), "page load"),
    countOf(of("navigation"), "navigation"),
    ...(others > 0 ? [countOf(others, "other trace")] : []),
    countOf(errors.length, "error"),
  ].join(", ")
}

interface StepProps {
  readonly step: JourneyStep
  /** Start of the session, in nanoseconds since the epoch. */
  readonly begin: bigint
  readonly colours: ReadonlyMap<string, number>
}

function Step({ step: { view, errors, idle }, begin, colours }: StepProps) {
  return (
    <li>
      {idle >= PAUSE_NS && <p className={styles.pause}>{formatDuration(idle)} without activity</p>}
      {view === undefined ? (
        <p className={styles.other}>Without a view</p>
      ) : (
        <ViewLine view={view} begin={begin} colour={colours.get(view.service)} />
      )}
      {errors.length > 0 && (
        <ul className={styles.errors} aria-label="Errors">
          {errors.map((error) => (
            <li key={error.eventId}>
              <ErrorIcon />{" "}
              <Link href={`/errors/${error.issueId}?event=${error.eventId}`} prefetch={false}>
                <bdi>{shownName(error.title)}</bdi>
              </Link>{" "}
              <small>{offset(error.time, begin)}</small>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

function ViewLine({ view, begin, colour }: { view: SessionView; begin: bigint; colour: number | undefined }) {
  const { kind, traceId, spanId, name, service, startTime, duration, failed, vitals } = view
  const measured = VITALS.filter((vital) => vitals[vital] !== undefined)
  return (
    <div className={styles.view}>
      <time dateTime={isoTime(startTime)} title={isoTime(startTime)}>
        {offset(startTime, begin)}
      </time>
      <span className={styles.kind}>
        {kind === "other" ? "trace" : KIND_NAMES[kind === "pageload" ? "load" : "navigation"].one}
      </span>
      <span className={styles.name}>
        <Link href={`/traces/${traceId}?span=${spanId}`} prefetch={false}>
          <bdi>{shownName(name)}</bdi>
        </Link>{" "}
        {failed && <FailedMark />} <ServiceName name={service} colour={colour} />
      </span>
      <span className={styles.duration}>{formatDuration(duration)}</span>
      {measured.length > 0 && (
        <dl className={styles.vitals}>
          {measured.map((vital) => (
            <div key={vital}>
              <dt>{vital.toUpperCase()}</dt>
              <dd>
                <VitalMark vital={vital} figure={{ p75: vitals[vital] ?? 0, count: 1 }} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

/** Time since the session's start: `+12.3 s`. */
function offset(time: bigint, begin: bigint): string {
  return time === begin ? "start" : `+${formatDuration(time - begin)}`
}

/** An id that nothing has: it is wrong, has expired, or has not arrived. */
export function NoSession({ sessionId }: { sessionId: string }) {
  return (
    <Message title="No session has this id">
      <p>
        No stored span or error has the <code>session.id</code> <code>{shownName(sessionId)}</code>. It may have
        expired.
      </p>
      <p>
        <Link href="/traces">All traces</Link>
      </p>
    </Message>
  )
}
