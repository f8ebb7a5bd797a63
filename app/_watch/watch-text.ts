import { formatCount } from "#app/_ui/format/quantity.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import type { FilterScreen, Watch, WatchMeasure } from "#otel/inspector/queries/saved-filters/saved-filter.ts"

/** What is measured, as the start of a sentence. */
export function measureName(measure: WatchMeasure, screen: FilterScreen): string {
  if (measure === "count") return screen === "logs" ? "Number of logs" : "Number of traces"
  return measure === "failed" ? "Failed share" : "p95 of duration"
}

/** A value in the unit of its measure: `1,204`, `12.5 %`, `845 ms`. */
export function measuredText(measure: WatchMeasure, value: number): string {
  if (measure === "count") return formatCount(value)
  if (measure === "failed") return `${Number(value.toPrecision(3))}\u00A0%`
  return formatDuration(BigInt(Math.round(value * 1e6)))
}

/** `above 800 ms in 15m`. */
export function thresholdText({ measure, above, window }: Watch): string {
  return `above ${measuredText(measure, above)} in ${window}`
}
