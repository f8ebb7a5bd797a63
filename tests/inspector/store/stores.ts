import { afterAll, beforeAll, onTestFinished } from "vitest"
import type { StoreLocation, StoreSettings } from "#otel/inspector/store/store.ts"
import { removeDirectory, temporaryDirectory } from "./directories.ts"
import { openTestStore, type TestStore } from "./test-store.ts"

export const DAY_MS = 86_400_000

/** An embedded store for all tests of a file, since opening one takes half a second. Tests use different trace ids. */
export function storeOfFile(settings: Partial<StoreSettings> = {}): () => TestStore {
  const directory = temporaryDirectory()
  let store: TestStore | undefined
  beforeAll(async () => {
    store = openTestStore({ dataDirectory: directory }, { retentionMs: 7 * DAY_MS, ...settings })
    await store.ready()
  })
  afterAll(async () => {
    await store?.close()
    removeDirectory(directory)
  })
  return () => store!
}

/** A store that closes with the test. */
export function storeOfTest(location: StoreLocation, settings: Partial<StoreSettings> = {}): TestStore {
  const store = openTestStore(location, { retentionMs: 7 * DAY_MS, ...settings })
  onTestFinished(() => store.close())
  return store
}
