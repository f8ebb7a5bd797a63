import Link from "next/link"
import type { ParsedLossQuery } from "#otel/query/loss-query.ts"
import type { LossOverview } from "#otel/query/loss-reader.ts"
import type { LossJson } from "#otel/wire/issue-json.ts"
import { RefreshOnLive } from "#app/feed/refresh-on-live.tsx"
import { INTENDED } from "#app/losses/advice.ts"
import { LossChart } from "#app/losses/loss-chart.tsx"
import { LossGroups } from "#app/losses/loss-groups.tsx"
import { LossTable } from "#app/losses/loss-table.tsx"
import { formatCount } from "#app/ui/format-count.ts"
import { Message } from "#app/ui/message.tsx"
import { Notices } from "#app/ui/notices.tsx"
import { Pages } from "#app/ui/pages.tsx"
import { RangeLinks } from "#app/ui/range-links.tsx"
import { ScreenBar } from "#app/ui/screen-bar.tsx"
import { withParameters } from "#app/ui/with-parameters.ts"
import styles from "./losses-view.module.css"

const PATH = "/losses"

interface LossesViewProps {
  readonly overview: LossOverview
  readonly losses: readonly LossJson[]
  readonly next: string | undefined
  readonly parsed: ParsedLossQuery
  readonly parameters: URLSearchParams
  readonly renderedAt: number
}

/** What did not arrive, why, and what to do about it. */
export function LossesView({ overview, losses, next, parsed, parameters, renderedAt }: LossesViewProps) {
  const { query, range, notices } = parsed
  const { groups } = overview
  const sum = (of: typeof groups) => of.reduce((total, { count }) => total + count, 0)
  const unintended = sum(groups.filter(({ reason }) => !INTENDED.has(reason)))
  const isNarrowed = query.stage !== undefined || query.reason !== undefined
  return (
    <RefreshOnLive>
      <ScreenBar title="Losses">
        <RangeLinks path={PATH} parameters={parameters} since={range.since} until={range.untilText} byDefault="24h" />
        {isNarrowed && (
          <Link href={withParameters(PATH, parameters, { stage: undefined, reason: undefined })} prefetch={false}>
            All losses, not only {[query.stage, query.reason?.replaceAll("_", " ")].filter(Boolean).join(", ")}
          </Link>
        )}
        <p>
          {formatCount(sum(groups))} lost, of which {formatCount(unintended)} not on purpose
        </p>
      </ScreenBar>
      <Notices notices={notices} />
      {groups.length === 0 ? (
        <Message title="Nothing was lost in this window" level={2}>
          <p>Whatever is filtered, refused, cut, expired or fails on the way is counted here by its reason.</p>
        </Message>
      ) : (
        <div className={styles.parts}>
          <LossChart overview={overview} steps={range.steps} parameters={parameters.toString()} />
          <LossGroups groups={groups} parameters={parameters} renderedAt={renderedAt} />
          <section aria-labelledby="records">
            <h2 id="records">One by one</h2>
            <LossTable losses={losses} renderedAt={renderedAt} />
            <Pages
              label="Pages of losses"
              first={query.after === undefined ? undefined : withParameters(PATH, parameters, {})}
              next={next === undefined ? undefined : withParameters(PATH, parameters, { after: next })}
            />
          </section>
        </div>
      )}
    </RefreshOnLive>
  )
}
