import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { FairShare } from "#otel/store/write/fair-share.ts"

/** How long a turn is after the others took so long, in milliseconds. */
async function turnAfter(othersMs: number): Promise<number> {
  let now = 1_000
  const share = new FairShare(() => now)
  const others = setImmediate().then(() => (now += othersMs))
  await Promise.all([others, share.letOthers()])
  const start = now
  while (!share.isOver) now += 1
  return now - start
}

test.each([
  ["as long as the others took", 12, 12],
  ["2 ms at least, where there are no others", 0, 2],
  ["25 ms at most, for requests wait meanwhile", 600, 25],
])("long work goes on for %s", async (_what, othersMs, turnMs) => {
  expect(await turnAfter(othersMs)).toBe(turnMs)
})

test("long work begins with 2 ms", () => {
  let now = 0
  const share = new FairShare(() => now)
  expect(share.isOver).toBe(false)
  now = 2
  expect(share.isOver).toBe(true)
})
