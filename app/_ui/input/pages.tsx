import Link from "next/link"
import styles from "./pages.module.css"

interface PagesProps {
  readonly label: string
  /** Back to the first page; absent on it. */
  readonly first: string | undefined
  /** Absent on the last page. */
  readonly next: string | undefined
}

export function Pages({ label, first, next }: PagesProps) {
  if (first === undefined && next === undefined) return null
  return (
    <nav aria-label={label} className={styles.pages}>
      {first !== undefined && (
        <Link href={first} prefetch={false}>
          ← Back to the first
        </Link>
      )}
      {next !== undefined && (
        <Link href={next} prefetch={false} className={styles.next}>
          More →
        </Link>
      )}
    </nav>
  )
}
