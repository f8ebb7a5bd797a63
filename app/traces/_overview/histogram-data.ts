import type { ChartData } from "#app/_ui/chart/chart-data.ts"
import type { OverviewBar } from "#otel/inspector/queries/list/trace-overview.ts"

/** Chart of traces over time. Failed traces are at the bottom, where their heights compare best. */
export function tracesOverTime(bars: readonly OverviewBar[], from: number, step: number, count: number): ChartData {
  const passed = Array.from({ length: count }, () => 0)
  const failed = Array.from({ length: count }, () => 0)
  for (const bar of bars) {
    passed[bar.index] = bar.traces - bar.failed
    failed[bar.index] = bar.failed
  }
  return {
    title: "Traces over time",
    x: { kind: "time", from, step, count },
    kind: "bars",
    unit: "count",
    series: [
      { label: "Failed", colour: "--error", values: failed },
      { label: "OK", colour: "--accent", values: passed },
    ],
  }
}
