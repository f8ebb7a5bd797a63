import type { ChartData } from "#app/_ui/chart/chart-data.ts"
import { MarkedChart } from "#app/_ui/chart/marked-chart.tsx"
import { Age } from "#app/_ui/format/age.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, sourceName } from "#app/_ui/format/text.ts"
import type { ReadIssue } from "#app/errors/[issueId]/read-issue.ts"
import { HandledMark, LevelMark } from "#app/errors/marks.tsx"
import styles from "./issue-view.module.css"

/** Names shown per fact; the others are counted. */
const NAMED = 4

/** Summary over all events of the issue. */
export function IssueHeader({ issue, steps, counts, marks, renderedAt }: ReadIssue & { renderedAt: number }) {
  const trend: ChartData = {
    title: "Events over time",
    kind: "bars",
    unit: "count",
    x: { kind: "time", from: steps.fromMs, step: steps.stepMs, count: steps.count },
    series: [{ label: "events", colour: "--error", values: [...counts] }],
  }
  return (
    <header>
      <h1 className={styles.title}>
        <bdi>{shownName(issue.title)}</bdi>
      </h1>
      <p className={styles.marks}>
        <LevelMark level={issue.level} named /> <HandledMark handled={issue.handled ?? null} />
        {issue.transaction !== "" && <bdi>{shownName(issue.transaction)}</bdi>}
      </p>
      <div className={styles.overview}>
        <dl className={styles.facts}>
          <Fact name="Events">{formatCount(issue.count)}</Fact>
          <Fact name="Users">{issue.users === 0 ? "–" : formatCount(issue.users)}</Fact>
          <Fact name="Sessions">{issue.sessions === 0 ? "–" : formatCount(issue.sessions)}</Fact>
          <Fact name="First seen">
            <Age unixNano={String(issue.firstSeen)} renderedAt={renderedAt} suffix />
          </Fact>
          <Fact name="Last seen">
            <Age unixNano={String(issue.lastSeen)} renderedAt={renderedAt} suffix />
          </Fact>
          <Fact name="Services">{names(issue.services)}</Fact>
          <Fact name="Releases">{names(issue.releases)}</Fact>
          <Fact name="Environments">{names(issue.environments)}</Fact>
          <Fact name="Source">{issue.sources.map(sourceName).join(", ")}</Fact>
        </dl>
        <MarkedChart data={trend} marks={marks} size="small" />
      </div>
    </header>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function names(all: readonly string[]): string {
  if (all.length === 0) return "–"
  const more = all.length > NAMED ? ` +${all.length - NAMED}` : ""
  return all.slice(0, NAMED).map(shownName).join(", ") + more
}
