import { expect, test, vi } from "vitest"
import { readConfig } from "#otel/inspector/config.ts"
import { createInspector } from "#otel/inspector/inspector.ts"
import {
  flushLocalServer,
  localInspector,
  setLocalInspector,
  setServerFlush,
} from "#otel/sdk/server/local-inspector.ts"
import { inspectorPrograms } from "#tests/support/inspector-programs.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

test("an inspector flushes the server in its process before it stops ingesting", async () => {
  const inspector = createInspector(
    readConfig({ PAGESPAN_DATA: await temporaryDirectory() }),
    await inspectorPrograms(),
  )
  const outcomes: string[] = []
  setServerFlush(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    outcomes.push((await inspector.receiver.ingest({ spans: [] })).outcome)
  })
  expect(localInspector()).toBeDefined()
  await inspector.close()
  setServerFlush(async () => undefined)
  setLocalInspector(undefined)
  expect(outcomes).toEqual(["accepted"])
})

test("the flush is shared by two copies of the module, as Next's bundles and the start command are", async () => {
  vi.resetModules()
  const copy = await import("#otel/sdk/server/local-inspector.ts")
  const flush = vi.fn<() => Promise<void>>(async () => undefined)
  copy.setServerFlush(flush)
  await flushLocalServer()
  expect(flush).toHaveBeenCalledOnce()
})
