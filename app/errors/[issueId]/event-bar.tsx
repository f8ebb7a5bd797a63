import Link from "next/link"
import type { ReactNode } from "react"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { Moment } from "#app/_ui/format/moment.tsx"
import { sessionAddress } from "#app/sessions/session-address.ts"
import type { IssueDetail } from "#otel/inspector/queries/errors/issue.ts"
import type { ErrorEvent } from "#otel/inspector/queries/records.ts"
import styles from "./issue-view.module.css"

interface EventBarProps {
  readonly issue: IssueDetail
  readonly event: ErrorEvent
  /** Index among the events of the issue; `undefined` for one that is older than all of them. */
  readonly position: number | undefined
  readonly sessionId: string | undefined
  readonly children: ReactNode
}

/** Position of the shown event, with links to its neighbours. */
export function EventBar({ issue, event, position, sessionId, children }: EventBarProps) {
  const { events, count } = issue
  const hidden = count - events.length
  const place = position ?? events.length
  return (
    <nav aria-label="Events" className={styles.events}>
      <Step event={events[place + 1]} label="← Older" />
      <Step event={events[place - 1]} label="Newer →" />
      <span>
        {placeText(position)} of {formatCount(count)}
        {hidden > 0 && `, the newest ${formatCount(events.length)} can be opened in order`}
      </span>
      <Moment unixNano={event.time} />
      {sessionId !== undefined && (
        <Link href={sessionAddress(sessionId)} prefetch={false}>
          Session
        </Link>
      )}
      {children}
    </nav>
  )
}

function placeText(position: number | undefined): string {
  if (position === undefined) return "Older event"
  return position === 0 ? "Newest event" : `Event ${formatCount(position + 1)}`
}

function Step({ event, label }: { event: ErrorEvent | undefined; label: string }) {
  if (event === undefined) return <span className={styles.end}>{label}</span>
  return (
    <Link href={`/errors/${event.issueId}?event=${event.eventId}`} prefetch={false} scroll={false}>
      {label}
    </Link>
  )
}
