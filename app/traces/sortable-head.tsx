import Link from "next/link"
import { COLUMNS } from "#app/traces/columns.ts"
import { listAddress, type ListPlace } from "#app/traces/list-address.ts"
import styles from "./trace-table.module.css"

/** Columns that can be sorted by are links: the largest first, then the smallest, then the latest again. */
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
