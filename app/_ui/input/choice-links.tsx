import Link from "next/link"
import styles from "./choice-links.module.css"
import { withParameters } from "./parameters.ts"

export interface Choice {
  readonly href: string
  readonly label: string
  /** Whether it is the current view. */
  readonly chosen: boolean
  /** Count next to the label. */
  readonly count?: string | undefined
}

/** Links to alternative views. */
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
  /** Valid `since` and `until` of the URL. */
  readonly since: string | undefined
  readonly until: string | undefined
  /** Range without parameters. */
  readonly byDefault: string
}

/** Relative time ranges. A brushed range appears as a choice of its own until you select another. */
export function RangeLinks({ path, parameters, since, until, byDefault }: RangeLinksProps) {
  const shown = until === undefined ? (since ?? byDefault) : undefined
  const ages = AGES.map((age) => ({
    label: age,
    href: withParameters(path, parameters, { since: age === byDefault ? undefined : age, until: undefined }),
    chosen: age === shown,
  }))
  const own = {
    label: "Custom range",
    href: withParameters(path, parameters, {}),
    chosen: true,
  }
  return <ChoiceLinks label="Time range" choices={ages.some(({ chosen }) => chosen) ? ages : [...ages, own]} />
}
