import Link from "next/link"
import { formatDuration } from "#app/ui/format-duration.ts"
import { ErrorIcon } from "#app/ui/icons.tsx"
import { shownName } from "#app/ui/shown-text.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { Section } from "./section.tsx"
import styles from "./span-panel.module.css"

/** Errors that were reported from within the span, each with the issue that it belongs to. */
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
