import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { getSentryRelease } from "@sentry/node"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { withPagespan } from "#otel/next.ts"
import { RELEASE_DEFINE } from "#otel/protocol/release-define.ts"
import { environmentOf, releaseOf } from "#otel/sdk/deployment.ts"
import { BUILD_MANIFEST_DEFINE, type BuildManifest } from "#otel/sdk/routes/build-manifest.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const SENTRYS_VARIABLES = [
  ...new Set([...getSentryRelease.toString().matchAll(/process\.env\["(\w+)"\]/g)].map(([, name]) => name!)),
]

beforeEach(() => {
  for (const name of [...SENTRYS_VARIABLES, "SENTRY_RELEASE"]) vi.stubEnv(name, undefined)
})

afterEach(() => vi.unstubAllEnvs())

test("the commit is found where Sentry's own SDK finds it, in the same order", () => {
  expect(SENTRYS_VARIABLES.length).toBeGreaterThan(30)
  for (const name of SENTRYS_VARIABLES) vi.stubEnv(name, `of ${name}`)
  for (;;) {
    const expected = getSentryRelease()
    expect(releaseOf(process.env)).toBe(expected)
    if (expected === undefined) break
    vi.stubEnv(expected.slice("of ".length), undefined)
  }
})

test.each([
  [{}, "production"],
  [{ NODE_ENV: "development" }, "development"],
  [{ NODE_ENV: "test" }, "production"],
  [{ NODE_ENV: "production", VERCEL_ENV: "preview" }, "vercel-preview"],
  [{ VERCEL_ENV: "preview", OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=stage" }, "stage"],
])("without SENTRY_ENVIRONMENT, the environment of %o is %s", (variables, expected) => {
  expect(environmentOf(variables)).toBe(expected)
})

describe("the release of a build", () => {
  async function repository(): Promise<{ directory: string; commit: string }> {
    const directory = await temporaryDirectory()
    const git = (...words: string[]) => execFileSync("git", ["-C", directory, ...words], { encoding: "utf8" }).trim()
    git("init", "--quiet")
    writeFileSync(join(directory, "a"), "")
    git("add", "a")
    git("-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "--quiet", "--message", "a")
    return { directory, commit: git("rev-parse", "HEAD") }
  }

  const built = (projectDirectory: string, release?: string | false) =>
    withPagespan({}, { projectDirectory, ...(release === undefined ? {} : { release }) }).compiler?.define?.[
      RELEASE_DEFINE
    ]

  test("is that of the option, of SENTRY_RELEASE, of the host's variable or of git, in this order", async () => {
    const { directory, commit } = await repository()
    vi.stubEnv("NODE_ENV", "production")
    expect(built(directory)).toBe(commit)
    vi.stubEnv("VERCEL_GIT_COMMIT_SHA", "of the host")
    expect(built(directory)).toBe("of the host")
    vi.stubEnv("SENTRY_RELEASE", "of Sentry")
    expect(built(directory)).toBe("of Sentry")
    expect(built(directory, "2.0")).toBe("2.0")
    expect(built(directory, false)).toBe("")
    vi.stubGlobal(RELEASE_DEFINE, "")
    expect(releaseOf(process.env)).toBeUndefined()
    vi.stubGlobal(RELEASE_DEFINE, "2.0")
    expect(releaseOf(process.env)).toBe("2.0")
    vi.unstubAllGlobals()
  })

  test("is that of the pages of an app that is exported as files, unless SENTRY_RELEASE is set", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined)
    const exported = (projectDirectory: string, release?: string | false) => {
      const options = { projectDirectory, ...(release === undefined ? {} : { release }) }
      const { compiler } = withPagespan({ output: "export" }, options)
      const { settings } = JSON.parse(String(compiler?.define?.[BUILD_MANIFEST_DEFINE])) as BuildManifest
      return settings?.release
    }
    const { directory, commit } = await repository()
    vi.stubEnv("NODE_ENV", "production")
    expect(exported(directory)).toBe(commit)
    vi.stubEnv("VERCEL_GIT_COMMIT_SHA", "of the host")
    expect(exported(directory)).toBe("of the host")
    expect(exported(directory, "2.0")).toBe("2.0")
    expect(exported(directory, false)).toBeUndefined()
    vi.stubEnv("SENTRY_RELEASE", "of Sentry")
    expect(exported(directory, "2.0")).toBe("of Sentry")
    vi.restoreAllMocks()
  })

  test("is none without a repository, and none in development", async () => {
    const { directory } = await repository()
    expect(built(directory)).toBeUndefined()
    vi.stubEnv("NODE_ENV", "production")
    expect(built(await temporaryDirectory())).toBeUndefined()
  })
})
