import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { NextConfig } from "next"
import { beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { withPagespan } from "#otel/next.ts"

/** An app whose own `node_modules` has no Sentry, in a folder whose `node_modules` has it, as a home directory may. */

const PACKAGES = ["@sentry/nextjs", "@sentry/browser", "@sentry/core", "@sentry/opentelemetry"]
let parent: string
let projectDirectory: string

function write(path: string, text = ""): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

beforeEach(() => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), "pagespan-parent-")))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  projectDirectory = join(parent, "apps/shop")
  for (const name of PACKAGES) write(join(parent, "node_modules", name, "index.js"))
  write(join(projectDirectory, "app/page.tsx"))
  write(join(projectDirectory, "package.json"), "{}")
  write(join(projectDirectory, "package-lock.json"), "{}")
  mkdirSync(join(projectDirectory, "node_modules"))
  symlinkSync(join(import.meta.dirname, "../../../node_modules/next"), join(projectDirectory, "node_modules/next"))
})

function isWithSentry(config: NextConfig = {}): boolean {
  return withPagespan(config, { projectDirectory }).turbopack?.resolveAlias?.["@sentry/nextjs"] === undefined
}

test("Sentry above the root that Next finds is not used: Turbopack could not resolve it", () => {
  expect(isWithSentry()).toBe(false)
})

test("Sentry above the root that the configuration names is not used", () => {
  write(join(parent, "package-lock.json"), "{}")
  expect(isWithSentry({ turbopack: { root: projectDirectory } })).toBe(false)
  expect(isWithSentry({ outputFileTracingRoot: join(parent, "apps") })).toBe(false)
})

test("Sentry in the root of a workspace is used", () => {
  write(join(parent, "package.json"), `{ "workspaces": ["apps/*"] }`)
  write(join(parent, "package-lock.json"), "{}")
  expect(isWithSentry()).toBe(true)
})

test("Sentry in a root that the configuration names is used", () => {
  expect(isWithSentry({ turbopack: { root: parent } })).toBe(true)
  expect(isWithSentry({ outputFileTracingRoot: parent })).toBe(true)
})

test("Sentry of a Next without these rules is used wherever Node finds it", () => {
  rmSync(join(projectDirectory, "node_modules/next"))
  mkdirSync(join(projectDirectory, "node_modules/next"))
  expect(isWithSentry()).toBe(true)
})

test("a build without some of Sentry's packages says so once, and not in each of Next's workers", () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
  onTestFinished(() => {
    warned.mockRestore()
    vi.unstubAllEnvs()
  })
  write(join(projectDirectory, "node_modules/@sentry/nextjs/index.js"))
  write(join(projectDirectory, "node_modules/@sentry/core/index.js"))
  vi.stubEnv("IS_NEXT_WORKER", "true")
  expect(isWithSentry()).toBe(false)
  expect(warned).not.toHaveBeenCalled()
  vi.stubEnv("IS_NEXT_WORKER", undefined)
  for (let count = 0; count < 2; count++) isWithSentry()
  expect(warned.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^pagespan: @sentry\/browser, @sentry\/opentelemetry cannot be found from here, so Sentry is off/,
      ),
    ],
  ])
})

test("a build with a version of Sentry's SDK that is too old says so", () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
  onTestFinished(() => warned.mockRestore())
  const install = (version: string) =>
    write(join(projectDirectory, "node_modules/@sentry/nextjs/package.json"), JSON.stringify({ version }))
  install("10.78.0")
  withPagespan({}, { projectDirectory })
  expect(warned.mock.calls.flat().join("\n")).not.toContain("is not supported")
  install("10.43.0")
  withPagespan({}, { projectDirectory })
  withPagespan({}, { projectDirectory })
  const lines = warned.mock.calls.flat().filter((line) => String(line).includes("is not supported"))
  expect(lines).toEqual(["pagespan: Sentry's SDK 10.43.0 is not supported: upgrade to 10.78 or later, or to 11"])
})
