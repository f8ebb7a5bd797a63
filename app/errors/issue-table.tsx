import Link from "next/link"
import { Sparkline } from "#app/_ui/chart/sparkline.tsx"
import { Age } from "#app/_ui/format/age.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, sourceName } from "#app/_ui/format/text.ts"
import { momentText } from "#app/_ui/format/time.ts"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { SortHeader } from "#app/_ui/input/sort-header.tsx"
import table from "#app/_ui/layout/data-table.module.css"
import { compareAddress } from "#app/compare/compare-address.ts"
import { DifferenceText } from "#app/compare/difference-text.tsx"
import { countDifference } from "#otel/inspector/queries/compare/comparison.ts"
import type { IssueJson, IssueListQuery, IssueOrder, IssueWindow } from "#otel/inspector/queries/errors/issue.ts"
import { quoteIfNeeded } from "#otel/inspector/queries/filters.ts"
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
  const sortable = (label: string, by: IssueOrder, className?: string, title?: string) => (
    <SortHeader
      label={label}
      href={withParameters("/errors", parameters, { sort: by === "last" ? undefined : by })}
      sorted={order === by ? "descending" : undefined}
      className={className}
      title={title}
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
          {sortable(
            "Δ",
            "change",
            `${table.change} ${table.wide}`,
            "Events against the time before: the last day, or less where the time range is shorter",
          )}
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
          <IssueRow key={row.issue.issueId} {...row} range={range} window={query.window} renderedAt={renderedAt} />
        ))}
      </tbody>
    </table>
  )
}

interface IssueRowProps extends IssueLine, Pick<IssueTableProps, "range" | "renderedAt"> {
  readonly window: IssueListQuery["window"]
}

function IssueRow({ issue, counts, range, window, renderedAt }: IssueRowProps) {
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
      <td className={`${table.change} ${table.wide}`}>
        {window === undefined ? "–" : <EventChange issue={issue} window={window} />}
      </td>
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

interface EventChangeProps {
  readonly issue: IssueJson
  /** The window whose events are compared with those before it. */
  readonly window: IssueWindow
}

/** A link to the routes of the error in both windows, where it has one. */
function EventChange({ issue, window: { before, from, until } }: EventChangeProps) {
  if (issue.window === undefined) return "–"
  const { count, countBefore } = issue.window
  const isNew = BigInt(issue.firstSeen) >= from
  const text = isNew ? "new" : <DifferenceText difference={countDifference(countBefore, count)} unit="count" />
  if (issue.transaction === "") return text
  const route = quoteIfNeeded(issue.transaction)
  const filter = `(route:${route} OR span.name=${route})`
  const [start, middle] = [before, from].map(timeText)
  const sides = [
    { filter, since: start, until: middle },
    { filter, since: middle, until: until && timeText(until) },
  ] as const
  return (
    <Link href={compareAddress(...sides)} prefetch={false}>
      {text}
    </Link>
  )
}

function timeText(time: bigint): string {
  return momentText(Number(time / 1_000_000n))
}

function summed(counts: readonly number[]): number[] {
  const size = Math.max(1, Math.ceil(counts.length / BARS))
  return Array.from({ length: Math.ceil(counts.length / size) }, (_, bar) =>
    counts.slice(bar * size, (bar + 1) * size).reduce((sum, count) => sum + count, 0),
  )
}

function trendText(counts: readonly number[], { steps, untilText }: TimeRange): string {
  const sum = counts.reduce((total, count) => total + count, 0)
  const hours = Math.round((steps.stepMs * steps.count) / 3_600_000)
  const window = untilText === undefined ? "in the last" : "in"
  return `${countOf(sum, "event")} ${window} ${hours < 48 ? countOf(Math.max(1, hours), "hour") : countOf(Math.round(hours / 24), "day")}`
}

function reachText({ users, sessions }: IssueJson): string {
  if (users === 0 && sessions === 0) return "No event has a user or a session"
  return `${countOf(users, "user")}, ${countOf(sessions, "session")}`
}
