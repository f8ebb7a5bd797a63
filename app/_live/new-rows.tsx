import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./new-rows.module.css"

interface NewRowsProps {
  readonly count: number
  /** Whether some were not counted. */
  readonly orMore: boolean
  readonly onShow: () => void
}

/** The button that shows what arrived while the user was reading. */
export function NewRows({ count, orMore, onShow }: NewRowsProps) {
  if (count === 0) return null
  return (
    <button type="button" className={styles.pill} onClick={onShow}>
      {formatCount(count)} {orMore ? "or more new" : "new"}
    </button>
  )
}
