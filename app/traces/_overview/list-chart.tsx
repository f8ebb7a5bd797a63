import Link from "next/link"
import { Suspense } from "react"
import { ChoiceLinks } from "#app/_ui/input/choice-links.tsx"
import { listAddress, type ListPlace, wholePlace } from "#app/_filter/list-address.ts"
import { DifferenceTable } from "./difference-table.tsx"
import { Heatmap } from "./heatmap.tsx"
import { Histogram } from "./histogram.tsx"
import styles from "./list-chart.module.css"
import type { OverviewParts } from "./read-overview.ts"

interface ListChartProps {
  /** Identifies what is counted: a new key shows the fallback again. */
  readonly countKey: string
  readonly place: ListPlace
  readonly overview: OverviewParts
}

/** The chart above the list, and the choice between the charts. */
export function ListChart({ countKey, place, overview }: ListChartProps) {
  const { chart } = place
  const choice = (label: string, shown: ListPlace["chart"]) => ({
    label,
    href: listAddress({ ...place, chart: shown, after: undefined }),
    chosen: chart === shown,
  })
  return (
    <div className={styles.frame} data-chart={chart}>
      <div className={styles.choice}>
        <ChoiceLinks
          label="Chart"
          choices={[
            choice("Histogram", undefined),
            choice("Heatmap", "heatmap"),
            choice("What differs", "differences"),
          ]}
        />
        {place.baseline !== undefined && (
          <Link href={listAddress(wholePlace(place))} prefetch={false}>
            Reset zoom
          </Link>
        )}
      </div>
      <Suspense key={`${chart} ${countKey}`} fallback={null}>
        {chart === undefined && <Histogram counts={overview.counts} marks={overview.marks} place={place} />}
        {chart === "heatmap" && <Heatmap heatmap={overview.heatmap} marks={overview.marks} place={place} />}
        {chart === "differences" && <DifferenceTable read={overview.differences} place={place} />}
      </Suspense>
    </div>
  )
}
