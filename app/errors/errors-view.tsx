import Link from "next/link"
import { SavedFilters } from "#app/_filter/saved-filters.tsx"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { countOf } from "#app/_ui/format/quantity.ts"
import { RangeLinks } from "#app/_ui/input/choice-links.tsx"
import { Pages } from "#app/_ui/input/pages.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"
import { ErrorFilter } from "#app/errors/error-filter.tsx"
import { type IssueLine, IssueTable } from "#app/errors/issue-table.tsx"
import type { IssueListQuery } from "#otel/inspector/queries/errors/issue.ts"
import type { TimeRange } from "#otel/inspector/queries/list/time-range.ts"
import { filterParameters } from "#otel/inspector/queries/saved-filters/saved-filter.ts"

const PATH = "/errors"

interface ErrorsViewProps {
  readonly rows: readonly IssueLine[]
  readonly next: string | undefined
  readonly parameters: URLSearchParams
  readonly query: IssueListQuery
  readonly range: TimeRange
  readonly notices: readonly string[]
  readonly own: InternalTelemetry
  readonly renderedAt: number
}

/** Issues: errors grouped by fingerprint. */
export function ErrorsView({ rows, next, parameters, query, range, notices, own, renderedAt }: ErrorsViewProps) {
  const isFiltered = ["q", "service", "level", "handled", "since", "until"].some((name) => parameters.has(name))
  return (
    <RefreshOnLive own={own}>
      <ScreenBar title="Errors">
        <ErrorFilter parameters={parameters} query={query} />
        <RangeLinks path={PATH} parameters={parameters} since={range.since} until={range.untilText} byDefault="7d" />
        <InternalTelemetrySwitch isHidden={own.isHidden} />
        {isFiltered && (
          <Link href={PATH} prefetch={false}>
            Clear
          </Link>
        )}
        <SavedFilters screen="errors" parameters={filterParameters("errors", parameters)} />
        <p>{countText(rows.length, query.after !== undefined, next !== undefined)}</p>
      </ScreenBar>
      <Notices notices={notices} />
      {rows.length === 0 ? (
        <NoErrors filtered={isFiltered || query.after !== undefined} />
      ) : (
        <IssueTable rows={rows} parameters={parameters} query={query} range={range} renderedAt={renderedAt} />
      )}
      <Pages
        label="Pages of errors"
        first={query.after === undefined ? undefined : withParameters(PATH, parameters, {})}
        next={next === undefined ? undefined : withParameters(PATH, parameters, { after: next })}
      />
    </RefreshOnLive>
  )
}

/** How many issues the page shows. There is no total, because it is not counted. */
function countText(count: number, further: boolean, more: boolean): string {
  if (further) return countOf(count, "more issue")
  return more ? `First ${countOf(count, "issue")}` : countOf(count, "issue")
}

/** Empty state, with or without a filter. */
export function NoErrors({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <Message title="No error matches" level={2}>
        <p>New matches appear here live.</p>
      </Message>
    )
  return (
    <Message title="No errors" level={2}>
      <p>
        Errors from Sentry SDKs, and exceptions recorded on OpenTelemetry spans and logs, appear here grouped by
        fingerprint.
      </p>
      <p>
        <Link href="/connect">Connect an application</Link>
      </p>
    </Message>
  )
}
