import type { ChartData } from "#app/_ui/chart/chart-data.ts"
import type { OverviewBar } from "#otel/inspector/queries/list/trace-overview.ts"

/** Failed traces at the bottom, where their height can be compared, and those that went well upon them. */
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

/** A moment as a URL has it. */
export function momentText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
