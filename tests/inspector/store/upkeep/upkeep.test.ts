import { ClickHouseError } from "@clickhouse/client"
import { expect, onTestFinished, test, vi } from "vitest"
import { asStoreFailure, StoreUnavailable } from "#otel/inspector/store/failure.ts"
import { StateCell, type StoreState } from "#otel/inspector/store/lifecycle.ts"
import { RetainedTraces } from "#otel/inspector/store/retained/retained-traces.ts"
import { startUpkeep } from "#otel/inspector/store/upkeep.ts"

function engineError(code: string, message: string): unknown {
  return asStoreFailure(new ClickHouseError({ code, message, type: "" }))
}

/** Runs an upkeep on which the store fails with each of the errors. Returns the warnings. */
async function warningsOf(errors: readonly unknown[], stateAfter: StoreState = "ready"): Promise<string[]> {
  const warnings: string[] = []
  const emitted = vi.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)))
  onTestFinished(() => emitted.mockRestore())
  const cell = new StateCell()
  cell.set("ready")
  const failures = [...errors]
  const write = async () => {
    const error = failures.shift()
    cell.set(stateAfter)
    throw error
  }
  const settings = { retentionMs: 1_000, maxBytes: 1, retained: new RetainedTraces(0) }
  const upkeep = startUpkeep({ cell, write }, settings, () => 0)
  while (failures.length > 0) {
    cell.set("ready")
    upkeep.run()
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  upkeep.stop()
  return warnings
}

test("an upkeep that fails on a ready store warns once for each kind of failure", async () => {
  const outOfMemory = engineError("241", "would use 700 MiB")
  const again = engineError("241", "would use 701 MiB")
  const unknown = engineError("47", "Unknown identifier")
  expect(await warningsOf([outOfMemory, again, unknown, outOfMemory, new Error("other"), unknown])).toStrictEqual([
    "The store could not be kept within its limits: ClickHouse is unavailable: it is out of memory (code 241)",
    "The store could not be kept within its limits: Unknown identifier",
    "The store could not be kept within its limits: other",
  ])
})

test("an upkeep that fails in ever new ways warns no more than twenty times", async () => {
  const errors = Array.from({ length: 50 }, (_, code) => engineError(String(10_000 + code), "new"))
  expect(await warningsOf(errors)).toHaveLength(20)
})

test("an upkeep whose store is no longer ready does not warn: the state says why", async () => {
  expect(await warningsOf([new StoreUnavailable("restarting")], "down")).toStrictEqual([])
  expect(await warningsOf([new StoreUnavailable("closed")], "closed")).toStrictEqual([])
})
