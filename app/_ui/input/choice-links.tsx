import Link from "next/link"
import styles from "./choice-links.module.css"
import { withParameters } from "./parameters.ts"

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

const AGES = ["15m", "1h", "6h", "24h", "7d"]

interface RangeLinksProps {
  readonly path: string
  readonly parameters: URLSearchParams
  /** `since` and `until` of the URL, where they were usable. */
  readonly since: string | undefined
  readonly until: string | undefined
  /** What is shown when the URL says nothing. */
  readonly byDefault: string
}

/** The window of time, by its length. A window that was brushed is a choice of its own, which goes with any other. */
export function RangeLinks({ path, parameters, since, until, byDefault }: RangeLinksProps) {
  const shown = until === undefined ? (since ?? byDefault) : undefined
  const ages = AGES.map((age) => ({
    label: age,
    href: withParameters(path, parameters, { since: age === byDefault ? undefined : age, until: undefined }),
    chosen: age === shown,
  }))
  const own = {
    label: "Chosen",
    href: withParameters(path, parameters, {}),
    chosen: true,
  }
  return <ChoiceLinks label="Window of time" choices={ages.some(({ chosen }) => chosen) ? ages : [...ages, own]} />
}
