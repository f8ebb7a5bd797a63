import { formatMs, formatShare } from "#app/routes/figures.ts"
import { KIND_NAMES } from "#app/routes/figures.ts"
import table from "#app/_ui/layout/data-table.module.css"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { ROUTE_KINDS, type RouteDetail } from "#otel/inspector/queries/routes/route-reader.ts"

const PERCENTILES = ["p50", "p75", "p95", "p99"] as const
/** Those that narrow screens have no room for. */
const OUTER: ReadonlySet<string> = new Set(["p50", "p99"])

const classOf = (name: string) => (OUTER.has(name) ? `${table.number} ${table.wide}` : table.number)

/** A line for each kind that was met: they are timed from different moments, so their figures are never mixed. */
export function TimesTable({ times }: Pick<RouteDetail, "times">) {
  return (
    <table className={table.table}>
      <caption className="visually-hidden">Times by kind</caption>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col" className={table.small}>
            Count
          </th>
          {PERCENTILES.map((name) => (
            <th key={name} scope="col" className={classOf(name)}>
              {name}
            </th>
          ))}
          <th scope="col" className={table.number}>
            Errors
          </th>
        </tr>
      </thead>
      <tbody>
        {ROUTE_KINDS.map((kind) => {
          const told = times[kind]
          if (told === undefined) return null
          return (
            <tr key={kind}>
              <th scope="row">{KIND_NAMES[kind].many}</th>
              <td className={table.small}>{formatCount(told.count)}</td>
              {PERCENTILES.map((name) => (
                <td key={name} className={classOf(name)}>
                  {formatMs(told[name])}
                </td>
              ))}
              <td className={table.number} title={`${formatCount(told.failed)} of ${formatCount(told.count)}`}>
                {formatShare(told.failed, told.count)}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
