import Link from "next/link"
import { Age } from "#app/_ui/format/age.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import type { Issue } from "#otel/inspector/queries/errors/issue.ts"
import styles from "./small-table.module.css"

interface IssueTableProps {
  readonly issues: readonly Issue[]
  /** Where all of them are. */
  readonly address?: string
  readonly renderedAt: number
}

/** The latest errors. */
export function IssueTable({ issues, address = "/errors", renderedAt }: IssueTableProps) {
  if (issues.length === 0) return null
  return (
    <section aria-labelledby="latest-errors">
      <h2 id="latest-errors" className={styles.heading}>
        Latest errors{" "}
        <Link href={address} prefetch={false}>
          All errors
        </Link>
      </h2>
      <table className={styles.table} aria-labelledby="latest-errors">
        <thead>
          <tr>
            <th scope="col">Error</th>
            <th scope="col" className={styles.location}>
              Route or service
            </th>
            <th scope="col" className={styles.number}>
              Events
            </th>
            <th scope="col" className={styles.number}>
              Last seen
            </th>
          </tr>
        </thead>
        <tbody>
          {issues.map(({ issueId, title, transaction, services, count, lastSeen }) => (
            <tr key={issueId}>
              <th scope="row" title={shownName(title)}>
                <Link href={`/errors/${issueId}`} prefetch={false}>
                  {shownName(title)}
                </Link>
              </th>
              <td className={styles.location}>{shownName(transaction || services.join(", "))}</td>
              <td className={styles.number}>{formatCount(count)}</td>
              <td className={styles.number}>
                <Age unixNano={String(lastSeen)} renderedAt={renderedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
