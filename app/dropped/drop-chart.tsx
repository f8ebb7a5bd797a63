"use client"

import { useRouter } from "next/navigation"
import { useMemo } from "react"
import type { ChartData, ChartSeries } from "#app/_ui/chart/chart-data.ts"
import { Chart } from "#app/_ui/chart/chart.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import type { DropOverview } from "#otel/inspector/queries/drops/drop-reader.ts"
import type { Steps } from "#otel/inspector/queries/list/time-range.ts"

/** Reasons with a colour of their own, the largest; the others are drawn together. */
const COLOURS = ["--error", "--warning", "--accent", "--service-2", "--service-4", "--service-5"] as const

interface DropChartProps {
  readonly overview: DropOverview
  readonly steps: Steps
  readonly parameters: string
}

export function DropChart({ overview, steps, parameters }: DropChartProps) {
  const router = useRouter()
  const data = useMemo(() => chartOf(overview, steps), [overview, steps])
  const brush = (from: number, to: number) => {
    const window = { since: new Date(from).toISOString(), until: new Date(to).toISOString() }
    router.push(withParameters("/dropped", new URLSearchParams(parameters), window), { scroll: false })
  }
  return <Chart data={data} onBrush={brush} />
}

function chartOf({ trend }: DropOverview, steps: Steps): ChartData {
  const reasons = [...trend].toSorted(([, a], [, b]) => sum(b) - sum(a))
  const series: ChartSeries[] = reasons.slice(0, COLOURS.length).map(([reason, values], index) => ({
    label: reason.replaceAll("_", " "),
    colour: COLOURS[index] ?? "--line-strong",
    values,
  }))
  const others = reasons.slice(COLOURS.length)
  if (others.length > 0)
    series.push({
      label: "other reasons",
      colour: "--line-strong",
      values: Array.from({ length: steps.count }, (_, at) => sum(others.map(([, values]) => values[at] ?? 0))),
    })
  return {
    title: "Drops over time by reason",
    kind: "bars",
    unit: "count",
    x: { kind: "time", from: steps.fromMs, step: steps.stepMs, count: steps.count },
    series,
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
