"use client"

import type { ChartData } from "./chart-data.ts"
import { useZone } from "#app/_ui/format/use-zone.tsx"
import { axisZone, formatInterval, formatValue } from "./chart-formats.ts"
import styles from "./chart.module.css"

/** Names of the series, with their values when an interval is active, and the zone of a time axis. */
export function ChartLegend({ data, index }: { data: ChartData; index: number | undefined }) {
  const zone = useZone()
  return (
    <div className={styles.legend} aria-hidden="true">
      <ul>
        {data.series.map(({ label, colour, dash, values }) => (
          <li key={label}>
            <svg width="14" height="10" focusable="false">
              {data.kind === "bars" ? (
                <rect x="2" width="10" height="10" rx="2" fill={`var(${colour})`} />
              ) : (
                <path d="M0 5h14" stroke={`var(${colour})`} strokeWidth="2" strokeDasharray={dash?.join(" ")} />
              )}
            </svg>
            {label}
            {index !== undefined && <b>{formatValue(values[index], data.unit)}</b>}
          </li>
        ))}
      </ul>
      <span>{index === undefined ? axisZone(data.x, zone) : formatInterval(data.x, index, zone)}</span>
    </div>
  )
}
