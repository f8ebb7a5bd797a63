import { ROUTE_KINDS, type RouteDetail } from "#otel/query/route-reader.ts"
import { formatMs, formatShare } from "#app/routes/format-figures.ts"
import { KIND_NAMES } from "#app/routes/kind-names.ts"
import { formatCount } from "#app/ui/format-count.ts"
import table from "#app/ui/data-table.module.css"

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
          {["p50", "p75", "p95", "p99"].map((name) => (
            <th
              key={name}
              scope="col"
              className={name === "p50" || name === "p99" ? `${table.number} ${table.wide}` : table.number}
            >
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
              <td className={`${table.number} ${table.wide}`}>{formatMs(told.p50)}</td>
              <td className={table.number}>{formatMs(told.p75)}</td>
              <td className={table.number}>{formatMs(told.p95)}</td>
              <td className={`${table.number} ${table.wide}`}>{formatMs(told.p99)}</td>
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
