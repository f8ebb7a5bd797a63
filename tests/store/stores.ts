import { afterAll, beforeAll, onTestFinished } from "vitest"
import { openStore, type Store, type StoreLocation, type StoreSettings } from "#otel/store/index.ts"
import { removeDirectory, temporaryDirectory } from "./directories.ts"

export const DAY_MS = 86_400_000

/** An embedded store for all tests of a file. Opening one takes half a second; tests keep apart by trace ids. */
export function storeOfFile(settings: Partial<StoreSettings> = {}): () => Store {
  const directory = temporaryDirectory()
  let store: Store | undefined
  beforeAll(async () => {
    store = openStore({ dataDirectory: directory }, { retentionMs: 7 * DAY_MS, ...settings })
    await store.ready()
  })
  afterAll(async () => {
    await store?.close()
    removeDirectory(directory)
  })
  return () => store!
}

/** A store that closes with the test. */
export function storeOfTest(location: StoreLocation, settings: Partial<StoreSettings> = {}): Store {
  const store = openStore(location, { retentionMs: 7 * DAY_MS, ...settings })
  onTestFinished(() => store.close())
  return store
}
