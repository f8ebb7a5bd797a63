"use client"

import { useRouter } from "next/navigation"
import { useMemo } from "react"
import type { ChartData, ChartMark, ChartSeries } from "#app/_ui/chart/chart-data.ts"
import { MarkedChart } from "#app/_ui/chart/marked-chart.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { INTENDED } from "#app/dropped/advice.ts"
import type { DropOverview } from "#otel/inspector/queries/drops/drop-reader.ts"
import type { Steps } from "#otel/inspector/queries/list/time-range.ts"

/** Unexpected drops stand out; intended ones are calm. */
const UNEXPECTED_COLOURS = ["--error", "--warning", "--service-2"] as const
const INTENDED_COLOURS = ["--accent", "--service-4", "--service-5"] as const

interface DropChartProps {
  readonly overview: DropOverview
  readonly steps: Steps
  readonly parameters: string
  /** Where releases begin. */
  readonly marks: Promise<readonly ChartMark[]>
}

export function DropChart({ overview, steps, parameters, marks }: DropChartProps) {
  const router = useRouter()
  const data = useMemo(() => dropChart(overview, steps), [overview, steps])
  const brush = (from: number, to: number) => {
    const window = { since: new Date(from).toISOString(), until: new Date(to).toISOString() }
    router.push(withParameters("/dropped", new URLSearchParams(parameters), window), { scroll: false })
  }
  return <MarkedChart data={data} marks={marks} onBrush={brush} />
}

/** The three largest unexpected and intended reasons have their own series; the others are summed. */
export function dropChart({ trend }: DropOverview, steps: Steps): ChartData {
  const reasons = [...trend].toSorted(([, a], [, b]) => sum(b) - sum(a))
  const unexpected = reasons.filter(([reason]) => !INTENDED.has(reason))
  const intended = reasons.filter(([reason]) => INTENDED.has(reason))
  const series = [...seriesOf(unexpected, UNEXPECTED_COLOURS), ...seriesOf(intended, INTENDED_COLOURS)]
  const others = [...unexpected.slice(UNEXPECTED_COLOURS.length), ...intended.slice(INTENDED_COLOURS.length)]
  if (others.length > 0)
    series.push({
      label: "other reasons",
      colour: "--line-strong",
      values: Array.from({ length: steps.count }, (_, at) => sum(others.map(([, values]) => values[at] ?? 0))),
    })
  return {
    title: "Dropped records over time by reason",
    kind: "bars",
    unit: "count",
    x: { kind: "time", from: steps.fromMs, step: steps.stepMs, count: steps.count },
    series,
  }
}

function seriesOf(
  reasons: readonly (readonly [string, readonly number[]])[],
  colours: readonly ChartSeries["colour"][],
): ChartSeries[] {
  return colours.flatMap((colour, index) => {
    const [reason, values] = reasons[index] ?? []
    return reason === undefined || values === undefined ? [] : [{ label: reason.replaceAll("_", " "), colour, values }]
  })
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
