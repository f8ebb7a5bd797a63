import { buildApp } from "#tests/sdk/browser/app-under-test.ts"

/** The app under test that most page tests use. A test that uses another one builds it when it starts it. */
const MOST_USED_APP = "routes"

/** Vitest's global set-up for test files that load pages of an app in `tests/pages`. */
export async function setup(): Promise<void> {
  await buildApp(MOST_USED_APP)
}
