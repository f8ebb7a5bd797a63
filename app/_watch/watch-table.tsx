"use client"

import Link from "next/link"
import { useLiveStatus } from "#app/_live/use-live.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { measureName, thresholdText } from "#app/_watch/watch-text.ts"
import { WatchMark } from "#app/_watch/watch-mark.tsx"
import type { SavedFilterJson } from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import styles from "./watch-table.module.css"

/** The watched filters and what they measure now. Tripped ones come first. */
export function WatchTable({ filters }: { filters: readonly SavedFilterJson[] }) {
  const { watches } = useLiveStatus()
  const rows = filters.flatMap((filter) =>
    filter.watch === null
      ? []
      : [{ ...filter, watch: filter.watch, state: watches.find(({ id }) => id === filter.id) }],
  )
  if (rows.length === 0) return null
  const sorted = rows.toSorted((a, b) => Number(isTripped(b.state)) - Number(isTripped(a.state)))
  return (
    <section aria-labelledby="watches">
      <h2 id="watches" className={styles.heading}>
        Watches{" "}
        <Link href="/filters" prefetch={false}>
          All saved filters
        </Link>
      </h2>
      <table className={styles.table} aria-labelledby="watches">
        <thead>
          <tr>
            <th scope="col">Watch</th>
            <th scope="col" className={styles.rule}>
              Trips when
            </th>
            <th scope="col" className={styles.state}>
              Now
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ id, name, screen, address, watch, state }) => (
            <tr key={id}>
              <th scope="row">
                <Link href={state?.address ?? address} prefetch={false} title={shownName(name)}>
                  {shownName(name)}
                </Link>
              </th>
              <td className={styles.rule}>
                {measureName(watch.measure, screen)} {thresholdText(watch)}
              </td>
              <td className={styles.state}>
                <WatchMark state={state} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function isTripped(state: { readonly state: string } | undefined): boolean {
  return state?.state === "tripped"
}
