import { AsyncLocalStorage } from "node:async_hooks"
import { createRequire } from "node:module"
import { expect, test, vi } from "vitest"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { recordingSentry } from "./sentry-upstream.ts"
import { envelopeText, post, tunnelRuntime } from "./tunnel-runtime.ts"

const require = createRequire(import.meta.url)
// As Next's server does before it loads it.
Object.assign(globalThis, { AsyncLocalStorage })
const { createPatchedFetcher } = require("next/dist/server/lib/patch-fetch.js") as {
  createPatchedFetcher(fetch: typeof globalThis.fetch, storages: object): typeof globalThis.fetch
}

/** What Next knows of a request that it serves. `next dev` logs the metrics, with `logging.fetches`. */
interface WorkStore {
  readonly route: string
  readonly shouldTrackFetchMetrics: boolean
  readonly fetchMetrics: object[]
}

test("what the tunnel forwards is none of the requests of the app that Next caches, and that next dev logs", async () => {
  const sentry = await recordingSentry()
  tunnelRuntime({ SENTRY_DSN: sentry.dsn })
  const workAsyncStorage = new AsyncLocalStorage<WorkStore>()
  const fetchOfNext = createPatchedFetcher(fetch, { workAsyncStorage, workUnitAsyncStorage: new AsyncLocalStorage() })
  const store: WorkStore = { route: "/monitoring", shouldTrackFetchMetrics: true, fetchMetrics: [] }
  vi.stubGlobal("fetch", fetchOfNext)
  try {
    await workAsyncStorage.run(store, async () => {
      const { status } = await tunnelHandler(post(envelopeText({ dsn: sentry.dsn }, ["event", { message: "boom" }])))
      expect(status).toBe(204)
      expect(store.fetchMetrics).toEqual([])
      // Those of the app are, so the list is real.
      await fetch(sentry.dsn.replace(/\/\/.*@/, "//"), { method: "POST" })
      expect(store.fetchMetrics).toHaveLength(1)
    })
  } finally {
    vi.unstubAllGlobals()
  }
  expect(sentry.errors()).toHaveLength(1)
})
