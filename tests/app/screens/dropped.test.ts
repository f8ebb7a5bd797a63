import { expect, it } from "vitest"
import { dropChart } from "#app/dropped/drop-chart.tsx"
import type { DropOverview } from "#otel/inspector/queries/drops/drop-reader.ts"

const STEPS = { fromMs: 0, stepMs: 1_000, count: 2 }

it("unexpected drops are red and intended ones are not, whatever their counts", () => {
  const overview = {
    groups: [],
    trend: new Map([
      ["not_found_trace", [90, 10]],
      ["malformed", [1, 0]],
      ["sample_rate", [5, 5]],
    ]),
  } as unknown as DropOverview
  const colours = dropChart(overview, STEPS as never).series.map(({ label, colour }) => [label, colour])
  expect(colours).toEqual([
    ["malformed", "--error"],
    ["not found trace", "--accent"],
    ["sample rate", "--service-4"],
  ])
})
