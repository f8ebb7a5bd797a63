import Form from "next/form"
import Link from "next/link"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { ChoiceLinks, RangeLinks } from "#app/_ui/input/choice-links.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"
import { previousWindowAddress } from "#app/compare/compare-address.ts"
import { RouteTable } from "#app/routes/route-table.tsx"
import {
  defaultKind,
  type ParsedRouteQuery,
  ROUTE_WINDOW,
  searchRoutes,
  sortRoutes,
} from "#otel/inspector/queries/routes/route-query.ts"
import { ROUTE_KINDS, type RouteKind, type RouteList } from "#otel/inspector/queries/routes/route-reader.ts"
import { KIND_NAMES } from "./figures.ts"

const PATH = "/routes"

interface RoutesViewProps {
  readonly list: RouteList
  readonly own: InternalTelemetry
  readonly query: ParsedRouteQuery
  readonly parameters: URLSearchParams
}

/** Durations, error rates and web vitals by route. */
export function RoutesView({ list, own, query, parameters }: RoutesViewProps) {
  const kind = query.kind ?? defaultKind(list)
  const sort = query.sort ?? "busy"
  const routes = sortRoutes(searchRoutes(list.routes, query.search), sort, kind)
  const cut = list.total - list.routes.length
  const notices =
    cut > 0
      ? [...query.notices, `Showing the busiest ${formatCount(list.routes.length)} of ${countOf(list.total, "route")}.`]
      : query.notices
  return (
    <RefreshOnLive own={own}>
      <ScreenBar title="Routes">
        <ChoiceLinks label="Kind" choices={ROUTE_KINDS.map((one) => choiceOf(one, kind, list, parameters))} />
        <RangeLinks
          path={PATH}
          parameters={parameters}
          since={query.range.since}
          until={query.range.untilText}
          byDefault={ROUTE_WINDOW}
        />
        <Link
          href={previousWindowAddress("", { since: query.range.since, until: query.range.untilText }, query.range.toMs)}
          prefetch={false}
        >
          Compare
        </Link>
        <search aria-label="Filter routes">
          <Form action={PATH} prefetch={false}>
            {["of", "since", "until", "sort", "service"].map((name) =>
              parameters.has(name) ? (
                <input key={name} type="hidden" name={name} value={parameters.get(name) ?? ""} />
              ) : null,
            )}
            <input
              key={query.search}
              type="search"
              name="q"
              aria-label="Route contains"
              placeholder="Route contains"
              defaultValue={query.search}
              autoComplete="off"
              spellCheck={false}
            />
            <button type="submit">Filter</button>
          </Form>
        </search>
        <InternalTelemetrySwitch isHidden={own.isHidden} />
        <p>{countOf(routes.length, "route")}</p>
      </ScreenBar>
      <Notices notices={notices} />
      {routes.length === 0 ? (
        <NoRoutes any={list.routes.length > 0} />
      ) : (
        <RouteTable routes={routes} kind={kind} sort={sort} parameters={parameters} range={query.range} />
      )}
    </RefreshOnLive>
  )
}

function choiceOf(one: RouteKind, kind: RouteKind, { routes }: RouteList, parameters: URLSearchParams) {
  const count = routes.reduce((sum, { times }) => sum + (times[one]?.count ?? 0), 0)
  return {
    label: KIND_NAMES[one].many,
    href: withParameters(PATH, parameters, { of: one }),
    chosen: one === kind,
    count: formatCount(count),
  }
}

function NoRoutes({ any }: { any: boolean }) {
  if (any) return <Message title="No route matches" level={2} />
  return (
    <Message title="No routes in this time range" level={2}>
      <p>
        Page loads and navigations from Pagespan and Sentry SDKs appear here by route, and every server span with{" "}
        <code>http.route</code>.
      </p>
      <p>
        <Link href="/connect">Connect an application</Link>
      </p>
    </Message>
  )
}
