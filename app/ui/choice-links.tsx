import Link from "next/link"
import styles from "./choice-links.module.css"

export interface Choice {
  readonly href: string
  readonly label: string
  /** Whether it is what is shown. */
  readonly chosen: boolean
  /** How many there are, beside the label. */
  readonly count?: string | undefined
}

/** One of several views, each with an address of its own. */
export function ChoiceLinks({ label, choices }: { label: string; choices: readonly Choice[] }) {
  return (
    <nav aria-label={label} className={styles.choices}>
      {choices.map((choice) => (
        <Link key={choice.href} href={choice.href} prefetch={false} aria-current={choice.chosen ? "true" : undefined}>
          {choice.label}
          {choice.count !== undefined && <small>{choice.count}</small>}
        </Link>
      ))}
    </nav>
  )
}
