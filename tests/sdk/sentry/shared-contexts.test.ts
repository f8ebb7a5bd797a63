import type { Client, Event } from "@sentry/core"
import * as Sentry from "@sentry/nextjs"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { sharingContexts } from "#otel/sdk/sentry/shared-contexts.ts"

const client = {} as Client
const theirs = Sentry.nodeContextIntegration()
const ours = sharingContexts(Sentry.nodeContextIntegration())
const read = vi.spyOn(process, "memoryUsage")
let now = 0

beforeEach(() => {
  // Past any reading of the test before.
  now += 60_000
  vi.spyOn(performance, "now").mockImplementation(() => now)
  read.mockClear()
})
afterEach(() => vi.mocked(performance.now).mockRestore())

const contextsOf = async (integration: typeof ours, event: Event) =>
  (await integration.processEvent?.(event, {}, client))?.contexts

test("transactions of one second share one reading of the process's memory", async () => {
  for (let sent = 0; sent < 20; sent++) await contextsOf(ours, { type: "transaction" })
  expect(read).toHaveBeenCalledTimes(1)
  now += 1_001
  await contextsOf(ours, { type: "transaction" })
  expect(read).toHaveBeenCalledTimes(2)
})

test("each error has the memory of its own moment", async () => {
  await contextsOf(ours, { type: "transaction" })
  read.mockReturnValueOnce({ ...process.memoryUsage(), rss: 4_711 })
  expect((await contextsOf(ours, {}))?.["app"]?.["app_memory"]).toBe(4_711)
})

test("a transaction has the contexts of Sentry's integration, and its own where both have one", async () => {
  const event = (): Event => ({
    type: "transaction",
    contexts: { trace: { trace_id: "a", span_id: "b" }, device: { arch: "of the event" } },
  })
  const [own, sentry] = [await contextsOf(ours, event()), await contextsOf(theirs, event())]
  const memory = { app_memory: 0, free_memory: 0 }
  const comparable = (contexts: typeof own) => ({
    ...contexts,
    app: { ...contexts?.["app"], app_start_time: "", ...memory },
    device: { ...contexts?.["device"], boot_time: "", ...memory },
  })
  expect(comparable(own)).toEqual(comparable(sentry))
  expect(own?.["device"]?.["arch"]).toBe("of the event")
  // What one event adds does not reach the next.
  expect((await contextsOf(ours, { type: "transaction" }))?.["device"]?.["arch"]).not.toBe("of the event")
})
