import Link from "next/link"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { RangeLinks } from "#app/_ui/input/choice-links.tsx"
import { Pages } from "#app/_ui/input/pages.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"
import { INTENDED } from "#app/dropped/advice.ts"
import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { DropChart } from "#app/dropped/drop-chart.tsx"
import { DropGroups } from "#app/dropped/drop-groups.tsx"
import { DropTable } from "#app/dropped/drop-table.tsx"
import type { ParsedDropQuery } from "#otel/inspector/queries/drops/drop-query.ts"
import type { DropJson, DropOverview } from "#otel/inspector/queries/drops/drop-reader.ts"
import styles from "./dropped-view.module.css"

const PATH = "/dropped"

interface DropsViewProps {
  readonly overview: DropOverview
  /** Where releases begin. */
  readonly marks: Promise<readonly ChartMark[]>
  readonly drops: readonly DropJson[]
  readonly next: string | undefined
  readonly parsed: ParsedDropQuery
  readonly parameters: URLSearchParams
  readonly own: InternalTelemetry
  readonly renderedAt: number
}

/** Dropped data by reason, with advice. */
export function DropsView({ overview, marks, drops, next, parsed, parameters, own, renderedAt }: DropsViewProps) {
  const { query, range, notices } = parsed
  const { groups } = overview
  const sum = (of: typeof groups) => of.reduce((total, { count }) => total + count, 0)
  const measured = groups.filter(({ sender }) => sender === "inspector")
  const reported = groups.filter(({ sender }) => sender === "client")
  const unexpected = sum(measured.filter(({ reason }) => !INTENDED.has(reason)))
  const isFiltered = query.stage !== undefined || query.reason !== undefined
  return (
    <RefreshOnLive own={own}>
      <ScreenBar title="Dropped data">
        <RangeLinks path={PATH} parameters={parameters} since={range.since} until={range.untilText} byDefault="24h" />
        {isFiltered && (
          <Link href={withParameters(PATH, parameters, { stage: undefined, reason: undefined })} prefetch={false}>
            Clear filter: {[query.stage, query.reason?.replaceAll("_", " ")].filter(Boolean).join(", ")}
          </Link>
        )}
        <p>
          {formatCount(sum(measured))} dropped, {formatCount(unexpected)} unexpected
          {reported.length > 0 && `; clients report ${formatCount(sum(reported))} more`}
        </p>
      </ScreenBar>
      <Notices notices={notices} />
      {groups.length === 0 ? (
        <Message title="No data dropped in this time range" level={2}>
          <p>Data that is filtered, refused, truncated, expired or fails to send is counted here by reason.</p>
        </Message>
      ) : (
        <div className={styles.parts}>
          <DropChart overview={overview} steps={range.steps} parameters={parameters.toString()} marks={marks} />
          <DropGroups
            id="measured"
            title="Measured by Pagespan"
            groups={measured}
            parameters={parameters}
            renderedAt={renderedAt}
          />
          <DropGroups
            id="reported"
            title="Reported by clients"
            groups={reported}
            parameters={parameters}
            renderedAt={renderedAt}
          />
          <section aria-labelledby="records">
            <h2 id="records">Events</h2>
            <DropTable drops={drops} renderedAt={renderedAt} />
            <Pages
              label="Pages of events"
              first={query.after === undefined ? undefined : withParameters(PATH, parameters, {})}
              next={next === undefined ? undefined : withParameters(PATH, parameters, { after: next })}
            />
          </section>
        </div>
      )}
    </RefreshOnLive>
  )
}
