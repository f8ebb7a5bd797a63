import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownText } from "#app/_ui/format/text.ts"
import type { ItemCut } from "#otel/inspector/queries/records.ts"
import styles from "./item-list.module.css"

/** Parts of an item that were truncated or refused at ingest. Each also counts as a drop. */
export function ItemCuts({ cuts }: { cuts: readonly ItemCut[] }) {
  if (cuts.length === 0) return null
  return (
    <ul className={styles.cuts}>
      {cuts.map(({ reason, count, sample }) => (
        <li key={reason + sample}>
          Dropped: {reason.replaceAll("_", " ")}
          {count > 1 && ` ×${formatCount(count)}`}: {shownText(sample)}
        </li>
      ))}
    </ul>
  )
}
