import { ChoiceLinks } from "#app/ui/choice-links.tsx"
import { withParameters } from "#app/ui/with-parameters.ts"

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
