import Link from "next/link"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { listAddress, type ListPath, type ListPlace } from "#app/_filter/list-address.ts"
import { hasTerm, termText, toggleTerm } from "#otel/inspector/queries/filters.ts"
import styles from "./facets.module.css"

/** Values shown before `more` is expanded. */
const FIRST = 8

export interface CountedValue {
  readonly value: string
  readonly count: number
}

interface FacetListProps {
  readonly path: ListPath
  readonly title: string
  readonly field: string
  /** `undefined` when counting failed. */
  readonly values: readonly CountedValue[] | undefined
  readonly place: ListPlace
}

export function FacetList({ path, title, field, values, place }: FacetListProps) {
  if (values === undefined)
    return (
      <section className={styles.facet}>
        <h2>{title}</h2>
        <p className={styles.wait}>Counting took too long.</p>
      </section>
    )
  const known = values.filter(({ count }) => count > 0)
  if (known.length === 0) return null
  const rest = known.slice(FIRST)
  const id = `facet-${field}`
  return (
    <section className={styles.facet} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul>
        {known.slice(0, FIRST).map((value) => (
          <Value key={value.value} path={path} field={field} value={value} place={place} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <ul>
            {rest.map((value) => (
              <Value key={value.value} path={path} field={field} value={value} place={place} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

interface ValueProps extends Pick<FacetListProps, "path" | "field" | "place"> {
  readonly value: CountedValue
}

function Value({ path, field, value: { value, count }, place }: ValueProps) {
  const term = termText(field, value)
  const isOn = hasTerm(place.filter, term)
  const to = (text: string) => listAddress({ ...place, filter: toggleTerm(place.filter, text), after: undefined }, path)
  const name = shownName(value)
  return (
    <li className={styles.value} data-on={isOn}>
      <Link href={to(term)} prefetch={false} scroll={false} title={isOn ? `Remove ${name}` : name} aria-current={isOn}>
        <bdi>{name}</bdi>
        <span>{formatCount(count)}</span>
      </Link>
      <Link href={to(`-${term}`)} prefetch={false} scroll={false} title={`Exclude ${name}`} className={styles.not}>
        <span aria-hidden="true">−</span>
        <span className="visually-hidden">Exclude {name}</span>
      </Link>
    </li>
  )
}
