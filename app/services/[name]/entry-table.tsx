import Link from "next/link"
import type { ReactNode } from "react"
import { Age } from "#app/_ui/format/age.tsx"
import { FailedMark } from "#app/_ui/format/failed-mark.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import table from "#app/_ui/layout/data-table.module.css"
import { formatMs } from "#app/routes/figures.ts"
import type { ServiceTrace } from "#otel/inspector/queries/services/service-reader.ts"
import styles from "./service-view.module.css"

interface EntryTableProps {
  readonly title: string
  readonly entries: readonly ServiceTrace[]
  readonly renderedAt: number
  /** What the entries have in common. */
  readonly children?: ReactNode
}

/** Single entries, each with a link to its span in its trace. */
export function EntryTable({ title, entries, renderedAt, children }: EntryTableProps) {
  const id = `entries-${title.toLowerCase().replaceAll(" ", "-")}`
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children !== undefined && <p className={styles.none}>{children}</p>}
      {entries.length === 0 ? (
        <p className={styles.none}>None in this time range.</p>
      ) : (
        <table className={table.table} aria-labelledby={id}>
          <thead>
            <tr>
              <th scope="col">Entry</th>
              <th scope="col" className={table.number}>
                Duration
              </th>
              <th scope="col" className={table.small}>
                Age
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ traceId, spanId, name, value, failed, startTime }) => (
              <tr key={traceId}>
                <th scope="row" title={shownName(name)}>
                  <Link href={`/traces/${traceId}?span=${spanId}`} prefetch={false}>
                    <bdi>{shownName(name)}</bdi>
                  </Link>{" "}
                  {failed && <FailedMark />}
                </th>
                <td className={table.number}>{formatMs(value)}</td>
                <td className={`${table.small} ${table.muted}`}>
                  <Age unixNano={String(startTime)} renderedAt={renderedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
