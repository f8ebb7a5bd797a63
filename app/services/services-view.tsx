import Link from "next/link"
import { FilterBar } from "#app/_filter/filter-bar.tsx"
import type { ListPlace } from "#app/_filter/list-address.ts"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import { formatMoment } from "#app/_ui/format/time.ts"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ServiceMap } from "#app/services/service-map.tsx"
import { ServiceTable } from "#app/services/service-table.tsx"
import { countedMs, type ParsedServiceQuery } from "#otel/inspector/queries/services/service-query.ts"
import type { ServiceList } from "#otel/inspector/queries/services/service-reader.ts"

interface ServicesViewProps {
  /** `undefined` when the filter does not parse. */
  readonly list: ServiceList | undefined
  readonly own: InternalTelemetry
  readonly query: ParsedServiceQuery
  readonly place: ListPlace
  readonly parameters: URLSearchParams
}

/** What each service does, and which calls which. */
export function ServicesView({ list, own, query, place, parameters }: ServicesViewProps) {
  const notices = list === undefined ? query.notices : [...query.notices, ...cuts(list)]
  const search = withParameters("", parameters, { sort: undefined })
  return (
    <RefreshOnLive own={own}>
      <h1 className="visually-hidden">Services</h1>
      <FilterBar path="/services" place={place} problem={query.problem}>
        <InternalTelemetrySwitch isHidden={own.isHidden} />
      </FilterBar>
      <Notices notices={notices} />
      {list !== undefined && list.services.length === 0 && <NoServices isFiltered={query.filter !== ""} />}
      {list !== undefined && list.services.length > 0 && (
        <Services list={list} query={query} parameters={parameters} search={search} />
      )}
    </RefreshOnLive>
  )
}

interface ServicesProps extends Pick<ServicesViewProps, "query" | "parameters"> {
  readonly list: ServiceList
  /** The parameters that links to a service carry. */
  readonly search: string
}

function Services({ list, query, parameters, search }: ServicesProps) {
  const colours = serviceColours(list.services.map(({ service }) => service))
  const lengthMs = countedMs(list, query.range)
  return (
    <>
      <ServiceTable
        list={list}
        sort={query.sort ?? "busy"}
        lengthMs={lengthMs}
        colours={colours}
        parameters={parameters}
        search={search}
      />
      <ServiceMap list={list} lengthMs={lengthMs} colours={colours} search={search} />
    </>
  )
}

/** What the figures leave out. */
export function cuts({ services, total, countedFrom, isCut }: ServiceList): string[] {
  return [
    ...(isCut ? [`The time range has too many spans: those since ${formatMoment(countedFrom)} are counted.`] : []),
    ...(total > services.length
      ? [`Showing the busiest ${formatCount(services.length)} of ${countOf(total, "service")}.`]
      : []),
  ]
}

function NoServices({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Message title="No service matches in this time range" level={2} />
  return (
    <Message title="No services in this time range" level={2}>
      <p>Each service that sends spans appears here, with the services that call it and those that it calls.</p>
      <p>
        <Link href="/connect">Connect an application</Link>
      </p>
    </Message>
  )
}
