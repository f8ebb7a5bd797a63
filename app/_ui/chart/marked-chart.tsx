"use client"

import { type ComponentProps, useMemo } from "react"
import type { ChartMark } from "./chart-data.ts"
import { Chart } from "./chart.tsx"
import { useMarks } from "./use-marks.ts"

interface MarkedChartProps extends ComponentProps<typeof Chart> {
  readonly marks: Promise<readonly ChartMark[]>
}

/** A chart that does not wait for its marks. */
export function MarkedChart({ data, marks, ...chart }: MarkedChartProps) {
  const known = useMarks(marks)
  // A new object redraws the chart.
  const marked = useMemo(() => ({ ...data, marks: known }), [data, known])
  return <Chart data={marked} {...chart} />
}
