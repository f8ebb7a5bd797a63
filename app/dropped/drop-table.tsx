import { Age } from "#app/_ui/format/age.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import table from "#app/_ui/layout/data-table.module.css"
import type { DropJson } from "#otel/inspector/queries/drops/drop-reader.ts"

/** Drop records, newest first. */
export function DropTable({ drops, renderedAt }: { drops: readonly DropJson[]; renderedAt: number }) {
  return (
    <table className={table.table} aria-labelledby="records">
      <thead>
        <tr>
          <th scope="col">Sample</th>
          <th scope="col" className={table.text}>
            Reason
          </th>
          <th scope="col" className={`${table.word} ${table.wide}`}>
            Stage
          </th>
          <th scope="col" className={`${table.word} ${table.wide}`}>
            Category
          </th>
          <th scope="col" className={`${table.word} ${table.wide}`}>
            Counted by
          </th>
          <th scope="col" className={table.small}>
            Count
          </th>
          <th scope="col" className={table.small}>
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {drops.map((drop, index) => (
          // Drop records have no id, and the list is immutable.
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={index}>
            <th scope="row" title={shownName(drop.sample)}>
              <bdi>{drop.sample === "" ? "–" : shownName(drop.sample)}</bdi>
            </th>
            <td className={table.text}>{drop.reason.replaceAll("_", " ")}</td>
            <td className={`${table.word} ${table.wide}`}>{drop.stage}</td>
            <td className={`${table.word} ${table.wide}`}>{drop.category.replaceAll("_", " ")}</td>
            <td className={`${table.word} ${table.wide}`}>{drop.sender === "client" ? "a client" : "Pagespan"}</td>
            <td className={table.small}>{formatCount(drop.count)}</td>
            <td className={`${table.small} ${table.muted}`}>
              <Age unixNano={drop.time} renderedAt={renderedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
