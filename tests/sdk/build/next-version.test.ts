import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { nextProblem } from "#otel/sdk/build/next-version.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

async function appWith(version: string): Promise<string> {
  const directory = await temporaryDirectory()
  const next = join(directory, "node_modules/next")
  mkdirSync(next, { recursive: true })
  writeFileSync(join(next, "package.json"), JSON.stringify({ name: "next", version }))
  return directory
}

test.each(["15.5.9", "16.0.0", "16.2.12"])(
  "a build with Next %s warns that the app must start the page's tracer itself",
  async (version) => {
    expect(nextProblem(await appWith(version))).toBe(
      `Next ${version} does not inject the page's tracer, unlike 16.3: add import "pagespan/browser" to instrumentation-client`,
    )
  },
)

test.each(["16.3.0", "16.4.6", "16.10.0", "17.0.0-canary.1"])("a build with Next %s logs nothing", async (version) => {
  expect(nextProblem(await appWith(version))).toBeUndefined()
})

test("a build without an installed Next logs nothing", async () => {
  expect(nextProblem(await temporaryDirectory())).toBeUndefined()
})
