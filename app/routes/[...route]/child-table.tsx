import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import table from "#app/_ui/layout/data-table.module.css"
import { formatMs } from "#app/routes/figures.ts"
import type { RouteChild } from "#otel/inspector/queries/routes/route-reader.ts"
import styles from "./route-view.module.css"

/** @param of number of traces examined, the latest. */
export function ChildTable({ items, of }: { items: readonly RouteChild[]; of: number }) {
  return (
    <section aria-labelledby="children">
      <h2 id="children">
        Child spans <small>in the latest {countOf(of, "trace")}</small>
      </h2>
      {items.length === 0 ? (
        <p className={styles.none}>No child spans.</p>
      ) : (
        <table className={table.table} aria-labelledby="children">
          <thead>
            <tr>
              <th scope="col">Span</th>
              <th scope="col" className={table.number}>
                Per trace
              </th>
              <th scope="col" className={table.number}>
                Median
              </th>
              <th scope="col" className={`${table.number} ${table.wide}`}>
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ name, service, count, p50, total }) => (
              <tr key={`${service} ${name}`}>
                <th scope="row" title={`${shownName(name)}, ${shownName(service)}`}>
                  <bdi>{shownName(name)}</bdi> <span className={styles.none}>{shownName(service)}</span>
                </th>
                <td className={table.number} title={formatCount(count)}>
                  {Number((count / of).toPrecision(2))}×
                </td>
                <td className={table.number}>{formatMs(p50)}</td>
                <td className={`${table.number} ${table.wide}`}>{formatMs(total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
