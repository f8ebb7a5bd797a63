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
  readonly position: number
  readonly sessionId: string | undefined
  readonly children: ReactNode
}

/** Position of the shown event, with links to its neighbours. */
export function EventBar({ issue, event, position, sessionId, children }: EventBarProps) {
  const { events, count } = issue
  const hidden = count - events.length
  return (
    <nav aria-label="Events" className={styles.events}>
      <Step event={events[position + 1]} label="← Older" />
      <Step event={events[position - 1]} label="Newer →" />
      <span>
        {position === 0 ? "Newest event" : `Event ${formatCount(position + 1)}`} of {formatCount(count)}
        {hidden > 0 && `, the newest ${formatCount(events.length)} can be opened`}
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

function Step({ event, label }: { event: ErrorEvent | undefined; label: string }) {
  if (event === undefined) return <span className={styles.end}>{label}</span>
  return (
    <Link href={`/errors/${event.issueId}?event=${event.eventId}`} prefetch={false} scroll={false}>
      {label}
    </Link>
  )
}
