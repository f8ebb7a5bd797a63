import Link from "next/link"
import { ItemList, itemName } from "#app/_items/item-list.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { withParameters } from "#app/_ui/input/parameters.ts"
import type { ItemJson, ItemTypeCount } from "#otel/inspector/queries/errors/envelope-items.ts"
import styles from "./small-table.module.css"

interface LatestItemsProps {
  readonly items: readonly ItemJson[]
  readonly types: readonly ItemTypeCount[]
  /** Type to list; `undefined` lists all. */
  readonly type: string | undefined
  readonly parameters: URLSearchParams
  readonly renderedAt: number
}

/** Number of types offered, most frequent first. Clients name types, so their number is not bounded. */
const TYPES = 12

/** Sentry envelope items that are not errors, spans or logs: feedback, check-ins, sessions and unknown types. */
export function LatestItems({ items, types, type, parameters, renderedAt }: LatestItemsProps) {
  const address = (itemType: string | undefined) => withParameters("/", parameters, { items: itemType })
  if (types.length === 0 && items.length === 0) return null
  return (
    <section aria-labelledby="latest-items">
      <h2 id="latest-items" className={styles.heading}>
        Envelope items <small>as Sentry SDKs sent them</small>
      </h2>
      <nav aria-label="Types of envelope items" className={styles.types}>
        <Link
          href={address(undefined)}
          prefetch={false}
          scroll={false}
          aria-current={type === undefined ? "true" : undefined}
        >
          All
        </Link>
        {types.slice(0, TYPES).map(({ type: each, count }) => (
          <Link
            key={each}
            href={address(each)}
            prefetch={false}
            scroll={false}
            aria-current={type === each ? "true" : undefined}
          >
            {itemName(each)} <small>{formatCount(count)}</small>
          </Link>
        ))}
      </nav>
      <ItemList items={items} renderedAt={renderedAt} />
    </section>
  )
}
