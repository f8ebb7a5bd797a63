import { useZone } from "#app/_ui/format/use-zone.tsx"
import { type ChartData, intervalCount } from "./chart-data.ts"
import { formatInterval, formatValue } from "./chart-formats.ts"

/** The chart as a table for assistive technology. Intervals without values are left out. */
export function ChartTable({ data }: { data: ChartData }) {
  const { x, series, unit, title, marks = [] } = data
  const zone = useZone()
  const known = Array.from({ length: intervalCount(x) }, (_, index) => index).filter((index) =>
    series.some(({ values }) => (values[index] ?? null) !== null),
  )
  return (
    <div className="visually-hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{x.kind === "time" ? "Time" : "Range"}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {known.map((index) => (
            <tr key={index}>
              <th scope="row">{formatInterval(x, index, zone)}</th>
              {series.map(({ label, values }) => (
                <td key={label}>{formatValue(values[index], unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {marks.map(({ at, label }) => (
        <p key={`${at} ${label}`}>{label}</p>
      ))}
    </div>
  )
}
