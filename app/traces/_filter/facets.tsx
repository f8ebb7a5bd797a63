import { Suspense } from "react"
import type { ListPlace } from "#app/_filter/list-address.ts"
import type { HistogramData, OverviewParts } from "#app/traces/_overview/read-overview.ts"
import { FACETS, type FacetValue } from "#otel/inspector/queries/list/trace-overview.ts"
import { FacetList } from "./facet-list.tsx"
import { FacetsFrame } from "./facets-frame.tsx"
import styles from "./facets.module.css"

const TITLES = { service: "Service", route: "Route", kind: "Kind" } as const

interface FacetsProps {
  /** Identifies what is counted: a new key shows the fallback again. */
  readonly countKey: string
  readonly place: ListPlace
  readonly overview: OverviewParts
}

/** Values that the traces of the list share, with counts. A click adds or removes a filter. */
export function Facets({ countKey, place, overview }: FacetsProps) {
  return (
    <FacetsFrame>
      <Suspense key={countKey} fallback={<p className={styles.wait}>Counting…</p>}>
        <CountedFacets counts={overview.counts} place={place} />
      </Suspense>
      {FACETS.map((facet) => (
        <Suspense key={facet + countKey} fallback={<p className={styles.wait}>{TITLES[facet]}…</p>}>
          <ReadFacet facet={facet} values={overview.facets[facet]} place={place} />
        </Suspense>
      ))}
    </FacetsFrame>
  )
}

interface ReadFacetProps {
  readonly facet: keyof typeof TITLES
  readonly values: Promise<readonly FacetValue[] | undefined>
  readonly place: ListPlace
}

async function ReadFacet({ facet, values, place }: ReadFacetProps) {
  return <FacetList title={TITLES[facet]} field={facet} values={await values} place={place} />
}

async function CountedFacets({ counts, place }: { counts: Promise<HistogramData | undefined>; place: ListPlace }) {
  const overview = (await counts)?.overview
  const status = overview && [
    { value: "error", traces: overview.failed },
    { value: "ok", traces: overview.traces - overview.failed },
  ]
  const source = overview && [
    { value: "otlp", traces: overview.otlp },
    { value: "sentry", traces: overview.sentry },
    { value: "both", traces: overview.both },
  ]
  return (
    <>
      <FacetList title="Status" field="status" values={status} place={place} />
      <FacetList title="Source" field="source" values={source} place={place} />
    </>
  )
}
