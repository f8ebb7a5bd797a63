import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./new-rows.module.css"

interface NewRowsProps {
  readonly count: number
  /** Whether some were not counted. */
  readonly orMore: boolean
  /** Whether the newest rows have left the list. */
  readonly isBehind?: boolean
  readonly onShow: () => void
}

/** The button that shows what arrived while the user was reading, or the newest rows again. */
export function NewRows({ count, orMore, isBehind = false, onShow }: NewRowsProps) {
  if (count === 0 && !isBehind) return null
  return (
    <button type="button" className={styles.pill} onClick={onShow}>
      {isBehind ? "Newest" : `${formatCount(count)} ${orMore ? "or more new" : "new"}`}
    </button>
  )
}
