"use client"

import { useMemo, useRef } from "react"
import { countOf } from "#app/_ui/format/quantity.ts"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import type { ListPlace } from "#app/_filter/list-address.ts"
import { fullBar } from "./full-bar.ts"
import { SortableHead } from "./sortable-head.tsx"
import { TraceRow } from "./trace-row.tsx"
import styles from "./trace-table.module.css"
import { useRowKeys } from "./use-row-keys.ts"
import { useVisibleRows } from "./use-visible-rows.ts"

interface TraceGridProps {
  readonly traces: readonly TraceSummaryJson[]
  readonly place: ListPlace
  readonly renderedAt: number
}

/** The table of the list. Only visible rows are in the document; two spacer rows stand in for the others. */
export function TraceGrid({ traces, place, renderedAt }: TraceGridProps) {
  const table = useRef<HTMLTableElement>(null)
  const { first, rows, above, below, scrollTo } = useVisibleRows(table, traces.length)
  const active = useRowKeys(table, traces.length, scrollTo)
  const colours = useMemo(() => serviceColours(new Set(traces.flatMap(({ services }) => services))), [traces])
  const full = useMemo(() => fullBar(traces.map(({ durationNano }) => Number(durationNano))), [traces])
  return (
    <table ref={table} className={styles.table} aria-rowcount={traces.length + 1}>
      <caption className="visually-hidden">{countOf(traces.length, "trace")}</caption>
      <SortableHead place={place} />
      <tbody>
        {above > 0 && <Space height={above} />}
        {traces.slice(first, first + rows).map((trace, index) => (
          <TraceRow
            key={trace.traceId}
            trace={trace}
            place={first + index}
            isActive={first + index === active}
            share={Math.min(1, Number(trace.durationNano) / full)}
            colours={colours}
            renderedAt={renderedAt}
          />
        ))}
        {below > 0 && <Space height={below} />}
      </tbody>
    </table>
  )
}

function Space({ height }: { height: number }) {
  return (
    <tr aria-hidden="true" className={styles.space}>
      <td aria-label="Rows out of view" style={{ height }} />
    </tr>
  )
}
