import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownText } from "#app/_ui/format/text.ts"
import type { ItemCut } from "#otel/protocol/records/envelope-item.ts"
import styles from "./item-list.module.css"

/** What was cut and refused of an item when it was read; each is a drop as well. */
export function ItemCuts({ cuts }: { cuts: readonly ItemCut[] }) {
  if (cuts.length === 0) return null
  return (
    <ul className={styles.cuts}>
      {cuts.map(({ reason, count, sample }) => (
        <li key={reason + sample}>
          Lost of it: {reason.replaceAll("_", " ")}
          {count > 1 && ` ×${formatCount(count)}`}: {shownText(sample)}
        </li>
      ))}
    </ul>
  )
}
