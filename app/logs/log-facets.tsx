import { Suspense } from "react"
import { FacetList } from "#app/_filter/facet-list.tsx"
import { FacetsFrame } from "#app/_filter/facets-frame.tsx"
import styles from "#app/_filter/facets.module.css"
import type { ListPlace } from "#app/_filter/list-address.ts"
import type { LogFacets as Facets } from "#otel/inspector/queries/logs/log-reader.ts"

interface LogFacetsProps {
  /** Identifies what is counted: a new key shows the fallback again. */
  readonly countKey: string
  readonly place: ListPlace
  readonly facets: Promise<Facets | undefined>
}

/** Severities and services of the listed logs, with counts. A click adds or removes a filter. */
export function LogFacets({ countKey, place, facets }: LogFacetsProps) {
  return (
    <FacetsFrame>
      <Suspense key={countKey} fallback={<p className={styles.wait}>Counting…</p>}>
        <Counted place={place} facets={facets} />
      </Suspense>
    </FacetsFrame>
  )
}

async function Counted({ place, facets }: Pick<LogFacetsProps, "place" | "facets">) {
  const counted = await facets
  return (
    <>
      <FacetList path="/logs" title="Severity" field="severity" values={counted?.severities} place={place} />
      <FacetList path="/logs" title="Service" field="service" values={counted?.services} place={place} />
    </>
  )
}
