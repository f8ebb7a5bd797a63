import Link from "next/link"
import styles from "./pages.module.css"

interface PagesProps {
  readonly label: string
  /** Address of the first page; `undefined` on it. */
  readonly first: string | undefined
  /** Address of the next page; `undefined` on the last. */
  readonly next: string | undefined
}

export function Pages({ label, first, next }: PagesProps) {
  if (first === undefined && next === undefined) return null
  return (
    <nav aria-label={label} className={styles.pages}>
      {first !== undefined && (
        <Link href={first} prefetch={false}>
          ← First page
        </Link>
      )}
      {next !== undefined && (
        <Link href={next} prefetch={false} className={styles.next}>
          Next page →
        </Link>
      )}
    </nav>
  )
}
