import Link from "next/link"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { ChoiceLinks, RangeLinks } from "#app/_ui/input/choice-links.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"
import { previousWindowAddress, routeTerm } from "#app/compare/compare-address.ts"
import { ChildTable } from "#app/routes/[...route]/child-table.tsx"
import { RouteCharts } from "#app/routes/[...route]/route-charts.tsx"
import { SlowestTraces } from "#app/routes/[...route]/slowest-traces.tsx"
import { TimesTable } from "#app/routes/[...route]/times-table.tsx"
import { VitalPanels } from "#app/routes/[...route]/vital-panels.tsx"
import { KIND_NAMES } from "#app/routes/figures.ts"
import { routeAddress } from "#app/routes/route-address.ts"
import { type ParsedRouteQuery, ROUTE_WINDOW } from "#otel/inspector/queries/routes/route-query.ts"
import { ROUTE_KINDS, type RouteDetail } from "#otel/inspector/queries/routes/route-reader.ts"
import styles from "./route-view.module.css"

interface RouteViewProps {
  readonly detail: RouteDetail
  readonly own: InternalTelemetry
  readonly query: ParsedRouteQuery
  readonly parameters: URLSearchParams
  readonly marks: readonly ChartMark[]
  readonly renderedAt: number
}

export function RouteView({ detail, own, query, parameters, marks, renderedAt }: RouteViewProps) {
  const { route, kind, times } = detail
  const path = routeAddress(route)
  const { range } = query
  const kinds = ROUTE_KINDS.filter((one) => times[one] !== undefined)
  return (
    <RefreshOnLive own={own}>
      <p className={styles.back}>
        <Link href={withParameters("/routes", parameters, {})} prefetch={false}>
          ← All routes
        </Link>
      </p>
      <ScreenBar title={<bdi>{shownName(route)}</bdi>}>
        <ChoiceLinks
          label="Kind"
          choices={kinds.map((one) => ({
            label: KIND_NAMES[one].many,
            href: withParameters(path, parameters, { of: one }),
            chosen: one === kind,
            count: formatCount(times[one]?.count ?? 0),
          }))}
        />
        <RangeLinks
          path={path}
          parameters={parameters}
          since={range.since}
          until={range.untilText}
          byDefault={ROUTE_WINDOW}
        />
        <Link href={tracesAddress(detail, range)} prefetch={false}>
          View traces
        </Link>
        <Link
          href={previousWindowAddress(routeTerm(detail), { since: range.since, until: range.untilText }, renderedAt)}
          prefetch={false}
        >
          Compare
        </Link>
        <InternalTelemetrySwitch isHidden={own.isHidden} />
      </ScreenBar>
      <Notices notices={query.notices} />
      <div className={styles.parts}>
        <TimesTable times={times} />
        <RouteCharts detail={detail} steps={range.steps} path={path} parameters={parameters.toString()} marks={marks} />
        <VitalPanels details={detail.vitals} steps={range.steps} />
        <div className={styles.halves}>
          <SlowestTraces traces={detail.slowest} kind={kind} renderedAt={renderedAt} />
          <ChildTable items={detail.children} of={detail.childrenOf} />
        </div>
      </div>
    </RefreshOnLive>
  )
}

/** The traces that the screen counts: those of the route by its kind, in the window. */
function tracesAddress(detail: RouteDetail, { since, untilText }: ParsedRouteQuery["range"]): string {
  return `/traces?${new URLSearchParams({
    q: routeTerm(detail),
    since: since ?? ROUTE_WINDOW,
    ...(untilText !== undefined && { until: untilText }),
  })}`
}
