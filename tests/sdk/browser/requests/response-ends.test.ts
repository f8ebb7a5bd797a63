import { expect, test } from "vitest"
import { ResponseEnds } from "#otel/sdk/browser/requests/response-ends.ts"

const URL = "https://shop.example/api/stream"

/** Responses whose heads arrive one millisecond after another, and when each ended. */
function responses(isSupported: boolean, count: number) {
  const ends = new ResponseEnds()
  ends.isSupported = isSupported
  const endedAt = new Map<number, number>()
  for (let index = 0; index < count; index++)
    ends.whenEnded(`${URL}/${index}`, index, 1_000 + index, (at) => endedAt.set(index, at))
  return { ends, endedAt }
}

test("past 256 awaited responses the oldest ends at its own head, and the others at their end", () => {
  const { ends, endedAt } = responses(true, 258)
  expect([...endedAt]).toEqual([
    [0, 1_000],
    [1, 1_001],
  ])
  ends.onResource({ name: `${URL}/2`, startTime: 2, responseEnd: 5_000 } as PerformanceResourceTiming)
  expect(endedAt.get(2)).toBe(5_000)
})

test("where the browser reports no resources, each response ends at its head", () => {
  expect([...responses(false, 3).endedAt]).toEqual([
    [0, 1_000],
    [1, 1_001],
    [2, 1_002],
  ])
})
