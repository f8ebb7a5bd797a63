import Link from "next/link"
import { Sparkline } from "#app/_ui/chart/sparkline.tsx"
import { countOf } from "#app/_ui/format/quantity.ts"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { FailedShare, IncompleteShare } from "#app/_ui/format/share.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { formatRate } from "#app/_ui/format/time.ts"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { SortHeader } from "#app/_ui/input/sort-header.tsx"
import table from "#app/_ui/layout/data-table.module.css"
import { formatMs } from "#app/routes/figures.ts"
import { callsOf, type ServiceSort, sortServices } from "#otel/inspector/queries/services/service-query.ts"
import type { ServiceList, ServiceSummary } from "#otel/inspector/queries/services/service-reader.ts"
import { serviceAddress } from "./service-address.ts"

interface ServiceTableProps {
  readonly list: ServiceList
  readonly sort: ServiceSort
  /** The time that was counted, in milliseconds. */
  readonly lengthMs: number
  readonly colours: ReadonlyMap<string, number>
  readonly parameters: URLSearchParams
  /** Parameters of the links to services. */
  readonly search: string
}

export function ServiceTable({ list, sort, lengthMs, colours, parameters, search }: ServiceTableProps) {
  const head = (label: string, by: ServiceSort, className?: string) => (
    <SortHeader
      label={label}
      href={withParameters("/services", parameters, { sort: by === "busy" ? undefined : by })}
      sorted={sort !== by ? undefined : by === "name" ? "ascending" : "descending"}
      className={className}
    />
  )
  return (
    <table className={table.table}>
      <caption className="visually-hidden">Services by their entries</caption>
      <thead>
        <tr>
          {head("Service", "name")}
          <th scope="col" className={`${table.spark} ${table.wide}`}>
            Trend
          </th>
          {head("Rate", "busy", table.number)}
          {head("Errors", "errors", table.number)}
          {head("p50", "p50", `${table.number} ${table.wide}`)}
          {head("p95", "p95", table.number)}
          <th
            scope="col"
            className={`${table.number} ${table.wide}`}
            title="Traces in which a span of the service has a parent that is not stored"
          >
            Incomplete
          </th>
          <th scope="col" className={`${table.text} ${table.wider}`}>
            Called by
          </th>
          <th scope="col" className={`${table.text} ${table.wider}`}>
            Calls
          </th>
        </tr>
      </thead>
      <tbody>
        {sortServices(list.services, sort).map((one) => (
          <Row key={one.service} of={one} list={list} lengthMs={lengthMs} colours={colours} search={search} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps extends Pick<ServiceTableProps, "list" | "lengthMs" | "colours" | "search"> {
  readonly of: ServiceSummary
}

function Row({ of, list, lengthMs, colours, search }: RowProps) {
  const { service, count, bars, p50, p95 } = of
  const { callers, callees } = callsOf(list, service)
  return (
    <tr>
      <th scope="row">
        <Link href={`${serviceAddress(service)}${search}`} prefetch={false}>
          <ServiceName name={service} colour={colours.get(service)} />
        </Link>
      </th>
      <td className={`${table.spark} ${table.wide}`}>
        <Sparkline values={bars} label={`${countOf(count, "entry", "entries")} over time`} />
      </td>
      <td className={table.number} title={countOf(count, "entry", "entries")}>
        {formatRate(count, lengthMs, list.services[0]?.count)}
      </td>
      <td className={table.number}>
        <FailedShare {...of} />
      </td>
      <td className={`${table.number} ${table.wide}`}>{formatMs(p50)}</td>
      <td className={table.number}>{formatMs(p95)}</td>
      <td className={`${table.number} ${table.wide}`}>
        <IncompleteShare {...of} />
      </td>
      <Names names={callers.map(({ caller }) => caller)} />
      <Names names={callees.map(({ callee }) => callee)} />
    </tr>
  )
}

function Names({ names }: { names: readonly string[] }) {
  const text = names.map(shownName).join(", ")
  return (
    <td className={`${table.text} ${table.wider} ${table.muted}`} title={text}>
      {text === "" ? "–" : <bdi>{text}</bdi>}
    </td>
  )
}
