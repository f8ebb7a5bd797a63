import Link from "next/link"
import { Sparkline } from "#app/_ui/chart/sparkline.tsx"
import { Age } from "#app/_ui/format/age.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, sourceName } from "#app/_ui/format/text.ts"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { SortHeader } from "#app/_ui/input/sort-header.tsx"
import table from "#app/_ui/layout/data-table.module.css"
import type { IssueJson, IssueListQuery, IssueOrder } from "#otel/inspector/queries/errors/issue.ts"
import type { TimeRange } from "#otel/inspector/queries/list/time-range.ts"
import styles from "./issue-table.module.css"
import { HandledMark, LevelMark } from "./marks.tsx"

export interface IssueLine {
  readonly issue: IssueJson
  /** Events per step of the time range; empty when there are none. */
  readonly counts: readonly number[]
}

interface IssueTableProps {
  readonly rows: readonly IssueLine[]
  readonly parameters: URLSearchParams
  readonly query: IssueListQuery
  readonly range: TimeRange
  readonly renderedAt: number
}

/** Bars of a trend; neighbouring steps are summed. */
const BARS = 36

export function IssueTable({ rows, parameters, query, range, renderedAt }: IssueTableProps) {
  const order = query.order ?? "last"
  const sortable = (label: string, by: IssueOrder, className?: string) => (
    <SortHeader
      label={label}
      href={withParameters("/errors", parameters, { sort: by === "last" ? undefined : by })}
      sorted={order === by ? "descending" : undefined}
      className={className}
    />
  )
  return (
    <table className={table.table}>
      <caption className="visually-hidden">Errors by fingerprint</caption>
      <thead>
        <tr>
          <th scope="col">Error</th>
          <th scope="col" className={`${table.text} ${table.wide}`}>
            Route
          </th>
          <th scope="col" className={`${table.spark} ${table.wide}`}>
            Trend
          </th>
          {sortable("Events", "count", table.small)}
          {sortable("Users", "users", `${table.small} ${table.wide}`)}
          {sortable("First", "first", `${table.small} ${table.wider}`)}
          {sortable("Last", "last", table.small)}
          <th scope="col" className={`${styles.source} ${table.wider}`}>
            Source
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <IssueRow key={row.issue.issueId} {...row} range={range} renderedAt={renderedAt} />
        ))}
      </tbody>
    </table>
  )
}

function IssueRow({ issue, counts, range, renderedAt }: IssueLine & Pick<IssueTableProps, "range" | "renderedAt">) {
  const title = shownName(issue.title)
  const route = issue.transaction === "" ? "–" : shownName(issue.transaction)
  const services = issue.services.map(shownName).join(", ")
  return (
    <tr>
      <th scope="row">
        <div className={styles.issue}>
          <LevelMark level={issue.level} />
          <div>
            <Link href={`/errors/${issue.issueId}`} prefetch={false} title={title}>
              <bdi>{title}</bdi>
            </Link>
            <span className={table.below}>
              <HandledMark handled={issue.handled} /> {services}
            </span>
          </div>
        </div>
      </th>
      <td className={`${table.text} ${table.wide} ${table.muted}`} title={route}>
        <bdi>{route}</bdi>
      </td>
      <td className={`${table.spark} ${table.wide}`}>
        <Sparkline values={summed(counts)} label={trendText(counts, range)} />
      </td>
      <td className={table.small}>{formatCount(issue.count)}</td>
      <td className={`${table.small} ${table.wide}`} title={reachText(issue)}>
        {issue.users > 0 ? formatCount(issue.users) : issue.sessions > 0 ? `${formatCount(issue.sessions)} sess.` : "–"}
      </td>
      <td className={`${table.small} ${table.wider} ${table.muted}`}>
        <Age unixNano={issue.firstSeen} renderedAt={renderedAt} />
      </td>
      <td className={`${table.small} ${table.muted}`}>
        <Age unixNano={issue.lastSeen} renderedAt={renderedAt} />
      </td>
      <td className={`${styles.source} ${table.wider} ${table.muted}`}>{issue.sources.map(sourceName).join(", ")}</td>
    </tr>
  )
}

function summed(counts: readonly number[]): number[] {
  const size = Math.max(1, Math.ceil(counts.length / BARS))
  return Array.from({ length: Math.ceil(counts.length / size) }, (_, bar) =>
    counts.slice(bar * size, (bar + 1) * size).reduce((sum, count) => sum + count, 0),
  )
}

function trendText(counts: readonly number[], { steps }: TimeRange): string {
  const sum = counts.reduce((total, count) => total + count, 0)
  const hours = Math.round((steps.stepMs * steps.count) / 3_600_000)
  return `${countOf(sum, "event")} in the last ${hours < 48 ? countOf(Math.max(1, hours), "hour") : countOf(Math.round(hours / 24), "day")}`
}

function reachText({ users, sessions }: IssueJson): string {
  if (users === 0 && sessions === 0) return "No event has a user or a session"
  return `${countOf(users, "user")}, ${countOf(sessions, "session")}`
}
