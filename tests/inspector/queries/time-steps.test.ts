import { expect, it } from "vitest"
import { barsOf, MOMENTS, timeSteps } from "#otel/inspector/queries/list/trace-overview.ts"
import { Random } from "#tests/protocol/otlp/random.ts"

const NOW = Date.parse("2026-01-31T12:00:07.300Z")

it.each([
  [1_000, 1_000],
  [60_000, 1_000],
  [15 * 60_000, 15_000],
  [3_600_000, 60_000],
  [86_400_000, 1_800_000],
  [7 * 86_400_000, 7_200_000],
  [400 * 86_400_000, 604_800_000],
])("a window of %i ms has aligned steps of %i ms that cover it, at most 90", (length, stepMs) => {
  const steps = timeSteps(NOW - length, NOW)
  const fromMs = Number(steps.from / 1_000_000n)
  expect(steps.stepMs).toBe(stepMs)
  expect(fromMs % stepMs).toBe(0)
  expect(fromMs).toBeLessThanOrEqual(NOW - length)
  expect(fromMs + steps.count * stepMs).toBeGreaterThanOrEqual(NOW)
  expect(steps.count).toBeLessThanOrEqual(91)
})

it("steps are multiples of the resolution, for any window", () => {
  const random = new Random(22)
  for (let round = 0; round < 2_000; round += 1) {
    const length = 1_000 + Math.floor(10 ** (3 + 8 * random.next()))
    const { stepMs } = timeSteps(NOW - length, NOW)
    const parts = MOMENTS.filter(({ ageMs }) => ageMs <= length).map(({ lengthMs }) => stepMs % lengthMs)
    expect(parts.every((rest) => rest === 0)).toBe(true)
  }
})

it("moments add up to bars, with those outside the steps in the first and the last", () => {
  const steps = timeSteps(NOW - 60_000, NOW)
  const fromMs = Number(steps.from / 1_000_000n)
  const moment = (atMs: number, failed = 0) => ({ atMs, traces: 2, failed })
  const moments = [moment(fromMs - 90_000, 1), moment(fromMs), moment(fromMs + 2_999), moment(NOW + 90_000)]
  expect(barsOf(moments, steps)).toStrictEqual([
    { index: 0, traces: 4, failed: 1 },
    { index: 2, traces: 2, failed: 0 },
    { index: steps.count - 1, traces: 2, failed: 0 },
  ])
})
