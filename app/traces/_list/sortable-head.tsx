import Link from "next/link"
import type { TraceOrder } from "#otel/inspector/queries/list/trace-reader.ts"
import { listAddress, type ListPlace } from "#app/_filter/list-address.ts"
import styles from "./trace-table.module.css"

interface Column {
  readonly label: string
  /** Order of the list when the column is selected. */
  readonly by?: TraceOrder["by"]
  /** Class name in the table's style sheet. */
  readonly style?: "services" | "duration" | "number" | "source" | "age"
}

export const COLUMNS: readonly Column[] = [
  { label: "Trace" },
  { label: "Services", style: "services" },
  { label: "Duration", by: "duration", style: "duration" },
  { label: "Spans", by: "spans", style: "number" },
  { label: "Errors", by: "errors", style: "number" },
  { label: "Source", style: "source" },
  { label: "Age", by: "time", style: "age" },
]

/** Sortable columns are links that cycle through descending, ascending and newest first. */
export function SortableHead({ place }: { place: ListPlace }) {
  const sort = place.sort ?? "time"
  return (
    <thead>
      <tr>
        {COLUMNS.map(({ label, by, style }) => {
          const className = style && styles[style]
          if (by === undefined)
            return (
              <th key={label} scope="col" className={className}>
                {label}
              </th>
            )
          const [isDown, isUp] = [sort === by, sort === `${by}-asc`]
          const next = isDown ? `${by}-asc` : isUp || by === "time" ? undefined : by
          return (
            <th
              key={label}
              scope="col"
              className={className}
              aria-sort={isDown ? "descending" : isUp ? "ascending" : undefined}
            >
              <Link href={listAddress({ ...place, sort: next, after: undefined })} prefetch={false} scroll={false}>
                {label}
                <span aria-hidden="true">{isDown ? " ↓" : isUp ? " ↑" : ""}</span>
              </Link>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
