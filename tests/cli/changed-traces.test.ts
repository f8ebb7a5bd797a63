import { expect, test } from "vitest"
import { ChangedTraces } from "#otel/cli/changed-traces.ts"

test("of traces that wait to be printed the oldest is given up past a limit, and counted", () => {
  const changed = new ChangedTraces()
  for (let number = 0; number < 10_003; number++) changed.add(String(number))
  expect([...changed]).toHaveLength(10_000)
  expect([...changed][0]).toBe("3")
  expect([changed.takeLost(), changed.takeLost()]).toEqual([3, 0])
})

test("a trace that is never stored is looked for a bounded number of times, and counted", () => {
  const changed = new ChangedTraces()
  changed.add("a")
  changed.add("b")
  let attempts = 0
  while ([...changed].includes("a") && attempts < 1_000) {
    attempts++
    changed.missing("a")
  }
  expect(attempts).toBe(120)
  expect(changed.takeLost()).toBe(1)
  expect([...changed]).toEqual(["b"])
})

test("a trace that changes again is looked for anew, and one that was printed no more", () => {
  const changed = new ChangedTraces()
  changed.add("a")
  for (let attempt = 0; attempt < 119; attempt++) changed.missing("a")
  changed.add("a")
  changed.missing("a")
  expect([...changed]).toEqual(["a"])
  changed.printed("a")
  expect([[...changed], changed.takeLost()]).toEqual([[], 0])
})
