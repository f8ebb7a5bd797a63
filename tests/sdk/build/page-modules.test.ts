import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { withPagespan } from "#otel/next.ts"
import { pageStart } from "#otel/protocol/next-versions.ts"
import { injectedModules, nextProblems } from "#otel/sdk/build/page-modules.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const ALONE = { pageModule: undefined, isSentryInPages: false }
const EXPORT = 'export { onRouterTransitionStart } from "pagespan/browser"'

async function appWith(version: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const directory = await temporaryDirectory()
  const manifest = JSON.stringify({ name: "next", version })
  for (const [path, text] of Object.entries({ ...files, "node_modules/next/package.json": manifest })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return directory
}

describe("Next before 16.3, which injects nothing into pages", () => {
  test.each(["15.3.0", "15.5.9", "16.0.0", "16.2.12"])(
    "a build with Next %s names the line that the app lacks",
    async (version) => {
      const directory = await appWith(version)
      expect(nextProblems(directory, ALONE)).toEqual([
        `Next ${version} does not inject the page's tracer, unlike 16.3: add to instrumentation-client: ${EXPORT}`,
      ])
      expect(injectedModules(directory, ALONE)).toBeUndefined()
    },
  )

  test.each(["instrumentation-client.ts", "src/instrumentation-client.js"])(
    "logs nothing where %s has it",
    async (path) => {
      expect(nextProblems(await appWith("16.2.4", { [path]: `${EXPORT}\n` }), ALONE)).toEqual([])
    },
  )

  test("an import alone is not enough: the router would not say when a navigation begins", async () => {
    const directory = await appWith("16.2.4", { "instrumentation-client.ts": 'import "pagespan/browser"\n' })
    expect(nextProblems(directory, ALONE).join()).toContain(EXPORT)
  })

  test("the app's page module and Sentry's clients are imported too", async () => {
    const modules = { pageModule: "./app/page-module.ts", isSentryInPages: true }
    const file = "instrumentation-client.ts"
    expect(nextProblems(await appWith("16.2.4", { [file]: EXPORT }), modules).join()).toMatch(
      /: import "\.\/app\/page-module\.ts"; import "pagespan\/sentry"$/,
    )
    const all = `import "@/app/page-module"\nimport "pagespan/sentry"\n${EXPORT}\n`
    expect(nextProblems(await appWith("16.2.4", { [file]: all }), modules)).toEqual([])
  })

  test("the configuration has no setting that this Next does not know, and no value that it warns of", async () => {
    const directory = await appWith("16.0.0", { "app/page.tsx": "", "instrumentation-client.ts": EXPORT })
    const warn = vi.spyOn(console, "warn").mockReturnValue()
    onTestFinished(() => warn.mockRestore())
    const { compiler, ...config } = withPagespan({}, { projectDirectory: directory, release: false })
    expect(config).not.toHaveProperty("instrumentationClientInject")
    expect(Object.values(compiler?.define ?? {}).map((value) => typeof value)).toEqual(
      Object.keys(compiler?.define ?? {}).map(() => "string"),
    )
    expect(warn.mock.calls).toEqual([])
  })

  test("a deployed server without the app's sources does not ask for a line that its build had", async () => {
    const directory = await appWith("16.2.4")
    const warn = vi.spyOn(console, "warn").mockReturnValue()
    onTestFinished(() => warn.mockRestore())
    withPagespan({}, { projectDirectory: directory })
    expect(warn.mock.calls).toEqual([])
  })
})

test("a build with Next before 15.3 says that it is not supported", async () => {
  const directory = await appWith("15.2.9", { "instrumentation-client.ts": EXPORT })
  expect(nextProblems(directory, ALONE)).toEqual([
    "Next 15.2.9 is not supported: pages are traced with Next 15.3 or later",
  ])
  expect(injectedModules(directory, ALONE)).toBeUndefined()
})

test.each([
  ["15.3.9", false],
  ["15.4.0", true],
  ["15.4.11", true],
  ["15.5.3", true],
  ["15.5.4", false],
  ["15.6.0-canary.59", false],
  ["16.0.0", false],
])("a build with Next %s, which hides errors of route handlers, says so: %s", async (version, isSaid) => {
  const directory = await appWith(version, { "instrumentation-client.ts": EXPORT })
  const problem = `Next ${version} does not report errors of route handlers while a tracer is active, so Sentry gets none: upgrade to 15.5.4 or later`
  expect(nextProblems(directory, ALONE)).toEqual(isSaid ? [problem] : [])
})

test.each(["16.3.0", "16.4.6", "16.10.0", "17.0.0-canary.1"])(
  "Next %s injects the modules, and logs nothing",
  async (version) => {
    const directory = await appWith(version)
    const modules = { pageModule: "./app/page-module.ts", isSentryInPages: true }
    expect(nextProblems(directory, modules)).toEqual([])
    expect(injectedModules(directory, modules)).toEqual(["./app/page-module.ts", "pagespan/sentry", "pagespan/browser"])
  },
)

test("a build without an installed Next logs nothing, and injects", async () => {
  const directory = await temporaryDirectory()
  expect(nextProblems(directory, ALONE)).toEqual([])
  expect(injectedModules(directory, ALONE)).toEqual(["pagespan/browser"])
})

test.each([
  ["15.6.0-canary.58", undefined],
  ["16.0.0", true],
])("a build with Next %s asks Turbopack for debug ids if it knows them: %s", async (version, debugIds) => {
  const projectDirectory = await appWith(version)
  const config = withPagespan({ turbopack: { root: "/apps" } }, { projectDirectory, sourceMaps: true })
  expect(config).toMatchObject({ productionBrowserSourceMaps: true, turbopack: { root: "/apps" } })
  expect(config.turbopack?.debugIds).toBe(debugIds)
})

test.each([
  ["14.2.33", "unsupported"],
  ["^15.2.4", "unsupported"],
  ["15.3.0", "imported"],
  ["^15.5.0", "imported"],
  ["^15", "imported"],
  ["16.0.0-beta.0", "imported"],
  ["~16.2", "imported"],
  ["16.3.0-canary.1", "injected"],
  ["^16", "injected"],
  ["latest", "injected"],
  ["", "injected"],
])("pages of an app that lists Next %j: %s", (range, start) => {
  expect(pageStart(range)).toBe(start)
})
