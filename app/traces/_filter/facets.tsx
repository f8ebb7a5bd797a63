import { Suspense } from "react"
import { FacetList } from "#app/_filter/facet-list.tsx"
import { FacetsFrame } from "#app/_filter/facets-frame.tsx"
import styles from "#app/_filter/facets.module.css"
import type { ListPlace } from "#app/_filter/list-address.ts"
import type { HistogramData, OverviewParts } from "#app/traces/_overview/read-overview.ts"
import { FACETS, type FacetValue } from "#otel/inspector/queries/list/trace-overview.ts"

const TITLES = { service: "Service", route: "Route", kind: "Kind", missing: "Missing" } as const

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
  const counted = (await values)?.map(({ value, traces }) => ({ value, count: traces }))
  return <FacetList path="/traces" title={TITLES[facet]} field={facet} values={counted} place={place} />
}

async function CountedFacets({ counts, place }: { counts: Promise<HistogramData | undefined>; place: ListPlace }) {
  const overview = (await counts)?.overview
  const status = overview && [
    { value: "error", count: overview.failed },
    { value: "ok", count: overview.traces - overview.failed },
  ]
  const source = overview && [
    { value: "otlp", count: overview.otlp },
    { value: "sentry", count: overview.sentry },
    { value: "both", count: overview.both },
  ]
  return (
    <>
      <FacetList path="/traces" title="Status" field="status" values={status} place={place} />
      <FacetList path="/traces" title="Source" field="source" values={source} place={place} />
    </>
  )
}
