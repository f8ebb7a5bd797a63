import type { LossJson } from "#otel/wire/issue-json.ts"
import { Age } from "#app/ui/age.tsx"
import { formatCount } from "#app/ui/format-count.ts"
import { shownName } from "#app/ui/shown-text.ts"
import table from "#app/ui/data-table.module.css"

/** The records as they were counted, newest first. */
export function LossTable({ losses, renderedAt }: { losses: readonly LossJson[]; renderedAt: number }) {
  return (
    <table className={table.table} aria-labelledby="records">
      <thead>
        <tr>
          <th scope="col">Sample</th>
          <th scope="col" className={table.text}>
            Reason
          </th>
          <th scope="col" className={`${table.text} ${table.wide}`}>
            Stage
          </th>
          <th scope="col" className={`${table.text} ${table.wide}`}>
            Kind
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
        {losses.map((loss, index) => (
          // Losses have no id, and the list is made anew whenever it changes.
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={index}>
            <th scope="row" title={shownName(loss.sample)}>
              <bdi>{loss.sample === "" ? "–" : shownName(loss.sample)}</bdi>
            </th>
            <td className={table.text}>{loss.reason.replaceAll("_", " ")}</td>
            <td className={`${table.text} ${table.wide}`}>{loss.stage}</td>
            <td className={`${table.text} ${table.wide}`}>{loss.category.replaceAll("_", " ")}</td>
            <td className={table.small}>{formatCount(loss.count)}</td>
            <td className={`${table.small} ${table.muted}`}>
              <Age unixNano={loss.time} renderedAt={renderedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
