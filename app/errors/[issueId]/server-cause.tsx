import Link from "next/link"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import type { ServerCause } from "#otel/inspector/queries/errors/error-cause.ts"
import { errorTitle } from "#otel/inspector/queries/records.ts"
import styles from "./issue-view.module.css"

/** The server error behind this browser error. */
export function ServerCauseNote({ cause: { event, by } }: { cause: ServerCause }) {
  return (
    <p className={styles.cause}>
      <WarningIcon />
      <span>
        The browser received this in place of a server error
        {by === "digest" ? " with the same digest" : " in the same trace"}:{" "}
        <Link href={`/errors/${event.issueId}?event=${event.eventId}`} prefetch={false}>
          <bdi>{shownName(errorTitle(event))}</bdi>
        </Link>{" "}
        from {shownName(event.service)}
      </span>
    </p>
  )
}
