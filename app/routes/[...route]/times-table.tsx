import { formatCount } from "#app/_ui/format/quantity.ts"
import { FailedShare } from "#app/_ui/format/share.tsx"
import table from "#app/_ui/layout/data-table.module.css"
import { formatMs, KIND_NAMES } from "#app/routes/figures.ts"
import { ROUTE_KINDS, type RouteDetail } from "#otel/inspector/queries/routes/route-reader.ts"

const PERCENTILES = ["p50", "p75", "p95", "p99"] as const
/** Hidden on narrow screens. */
const OUTER: ReadonlySet<string> = new Set(["p50", "p99"])

const classOf = (name: string) => (OUTER.has(name) ? `${table.number} ${table.wide}` : table.number)

/** One row per kind. Kinds start at different moments, so their figures are never combined. */
export function TimesTable({ times }: Pick<RouteDetail, "times">) {
  return (
    <table className={table.table}>
      <caption className="visually-hidden">Durations by kind</caption>
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
          const figures = times[kind]
          if (figures === undefined) return null
          return (
            <tr key={kind}>
              <th scope="row">{KIND_NAMES[kind].many}</th>
              <td className={table.small}>{formatCount(figures.count)}</td>
              {PERCENTILES.map((name) => (
                <td key={name} className={classOf(name)}>
                  {formatMs(figures[name])}
                </td>
              ))}
              <td className={table.number}>
                <FailedShare {...figures} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
