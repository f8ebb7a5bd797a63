import { Suspense } from "react"
import { ChoiceLinks } from "#app/_ui/input/choice-links.tsx"
import { listAddress, type ListPlace } from "#app/_filter/list-address.ts"
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
        <ChoiceLinks label="Chart" choices={[choice("Histogram", undefined), choice("Heatmap", "heatmap")]} />
      </div>
      <Suspense key={`${chart} ${countKey}`} fallback={null}>
        {chart === "heatmap" ? (
          <Heatmap heatmap={overview.heatmap} place={place} />
        ) : (
          <Histogram counts={overview.counts} place={place} />
        )}
      </Suspense>
    </div>
  )
}
