import Link from "next/link"
import { ErrorIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import type { EventDetail, ExceptionDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { AttributeRows } from "./attribute-table.tsx"
import { Section } from "./section.tsx"
import styles from "./span-panel.module.css"

interface EventListProps {
  readonly events: readonly EventDetail[]
  /** Total number; `events` may hold only the first. */
  readonly count: number
  readonly dropped: number
}

export function EventList({ events, count, dropped }: EventListProps) {
  if (count === 0 && dropped === 0) return null
  return (
    <Section title="Events" count={count} dropped={dropped}>
      <ol className={styles.events}>
        {events.map((event, index) => (
          // Events have no id and never change.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <p>
              <bdi className={styles.eventName}>{shownName(event.name)}</bdi>{" "}
              <small>{formatDuration(BigInt(event.offsetNano))} into the span</small>
            </p>
            {event.exception !== undefined && <Exception exception={event.exception} />}
            {event.attributes.length > 0 && (
              <AttributeRows title={`Attributes of ${shownName(event.name)}`} rows={event.attributes} />
            )}
          </li>
        ))}
      </ol>
      {count > events.length && (
        <p>
          <small>
            First {formatCount(events.length)} of {formatCount(count)}.
          </small>
        </p>
      )}
    </Section>
  )
}

function Exception({ exception: { type, message, stack, stackCutFrom } }: { exception: ExceptionDetail }) {
  return (
    <div className={styles.exception}>
      <p className={styles.error}>
        <ErrorIcon /> <strong>{type === "" ? "Exception" : shownName(type)}</strong>
        {message !== "" && `: ${shownText(message)}`}
      </p>
      {stack !== "" && (
        <>
          <ScrollBox label="Stack trace">
            <pre>{shownText(stack)}</pre>
          </ScrollBox>
          <CopyButton text={stack} what="stack trace" labelled />
          {stackCutFrom !== undefined && (
            <small>
              First {formatCount(stack.length)} of {formatCount(stackCutFrom)} characters
            </small>
          )}
        </>
      )}
    </div>
  )
}

/** Errors reported within the span, with links to their issues. */
export function ErrorList({ errors }: { errors: readonly ErrorMark[] }) {
  if (errors.length === 0) return null
  return (
    <Section title="Errors" count={errors.length} dropped={0}>
      <ul className={styles.events}>
        {errors.map(({ eventId, issueId, title, offsetNano }) => (
          <li key={eventId}>
            <span className={styles.error}>
              <ErrorIcon />
            </span>{" "}
            <Link href={`/errors/${encodeURIComponent(issueId)}`} prefetch={false}>
              {shownName(title)}
            </Link>{" "}
            <small>{formatDuration(BigInt(Math.round(offsetNano)))} into the trace</small>
          </li>
        ))}
      </ul>
    </Section>
  )
}
