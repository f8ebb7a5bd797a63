import { expect, test } from "vitest"
import { soakReport, type SoakWindow } from "./report.ts"

const ALL_FOUND = { lookedUp: 200, missing: 0 }

test("memory that grows while the store fills is not judged, and from then on it is", () => {
  const filling = [100, 200, 300, 400].map((memory) => minute({ memory, expired: 0 }))
  const flat = Array.from({ length: 8 }, () => minute({ memory: 500, expired: 1 }))
  const growing = Array.from({ length: 8 }, (_, index) => minute({ memory: 500 + 20 * index, expired: 1 }))

  expect(soakReport([...filling, ...flat], ALL_FOUND).failures).toEqual([])
  expect(soakReport([...filling, ...growing], ALL_FOUND).failures).toEqual([
    "memory of all processes, MiB grew from 500.0 to 620.0",
  ])
})

test("a store that never reached its size fails the soak", () => {
  const windows = Array.from({ length: 12 }, () => minute({ memory: 500, expired: 0 }))

  expect(soakReport(windows, ALL_FOUND).failures).toEqual(["the store never reached its size"])
})

test("a refusal and a missing trace fail the soak", () => {
  const windows = Array.from({ length: 12 }, () => minute({ memory: 500, expired: 1, refused: 2 }))

  expect(soakReport(windows, { lookedUp: 200, missing: 3 }).failures).toEqual([
    "24 requests were refused",
    "3 traces are not stored whole",
  ])
})

function minute({ memory, expired, refused = 0 }: { memory: number; expired: number; refused?: number }): SoakWindow {
  return {
    seconds: 60,
    posts: [10],
    reads: [100],
    refused: new Map(refused > 0 ? [[429, refused]] : []),
    queueDepth: 0,
    cpuSeconds: 30,
    memoryMiB: [memory],
    handles: 100,
    diskMiB: 100,
    expired,
    load: 1,
  }
}
