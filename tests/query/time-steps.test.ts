import { expect, it } from "vitest"
import { timeSteps } from "#otel/query/trace-overview.ts"

const NOW = Date.parse("2026-01-31T12:00:07.300Z")

it.each([
  [1_000, 1_000],
  [60_000, 1_000],
  [15 * 60_000, 15_000],
  [3_600_000, 60_000],
  [86_400_000, 1_800_000],
  [7 * 86_400_000, 7_200_000],
  [400 * 86_400_000, 604_800_000],
])("%i ms are drawn in steps of %i ms, whole ones that cover them, 90 at most", (length, stepMs) => {
  const steps = timeSteps(NOW - length, NOW)
  const fromMs = Number(steps.from / 1_000_000n)
  expect(steps.stepMs).toBe(stepMs)
  expect(fromMs % stepMs).toBe(0)
  expect(fromMs).toBeLessThanOrEqual(NOW - length)
  expect(fromMs + steps.count * stepMs).toBeGreaterThanOrEqual(NOW)
  expect(steps.count).toBeLessThanOrEqual(91)
})
