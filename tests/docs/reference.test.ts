import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { referencePages } from "#otel/cli/package/reference/pages.ts"
import { collectorProblems } from "./collector-yaml.ts"

test("the generated reference pages match the sources (npm run reference)", async () => {
  const written = await referencePages()
  const found = new Map([...written.keys()].map((path) => [path, readFileSync(path, "utf8")]))
  expect(found).toEqual(written)
})

/** Keys of the global object and the name of an SDK, which look like attributes in the sources. */
const SYMBOLS = /^pagespan\.(?:page|observed|session|server|offline|filters|instrumentations)$|^sentry\.javascript\./

test("the reference has every attribute that a page sends", () => {
  const page = readFileSync("docs/reference/spans-and-attributes.md", "utf8")
  const sources = readdirSync("otel/sdk/browser", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  const names = sources.flatMap((text) =>
    [
      ...text.matchAll(/"((?:pagespan|navigation|session|browser|next|url|http|server|error|code|sentry)\.[a-z_.]+)"/g),
    ].map(([, name]) => name!),
  )
  expect(names.length).toBeGreaterThan(15)
  expect([...new Set(names)].filter((name) => !SYMBOLS.test(name) && !page.includes(`\`${name}\``))).toEqual([])
})

/** Variables of platforms, shells and Next, which they set themselves, and a code of errors. */
const OF_OTHERS =
  /^(?:NODE_|NEXT_RUNTIME$|NEXT_PRIVATE_|IS_NEXT_WORKER$|GITHUB_|SSH_|DISPLAY$|WAYLAND_DISPLAY$|XDG_CACHE_HOME$|PATH$|CI$|PAGESPAN_REFUSED_ADDRESS$)/

test("the configuration has every variable that the code reads by its name", () => {
  const page = readFileSync("docs/reference/configuration.md", "utf8")
  const sources = readdirSync("otel", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  const names = sources.flatMap((text) =>
    [
      ...text.matchAll(/\b(?:env|environment|inherited|variables)(?:\.|\[")([A-Z][A-Z\d_]+)/g),
      ...text.matchAll(/"((?:PAGESPAN|SENTRY)_[A-Z_]+)"/g),
    ].map(([, name]) => name!),
  )
  expect(names.length).toBeGreaterThan(30)
  const missing = [...new Set(names)].filter((name) => !OF_OTHERS.test(name) && !page.includes(`\`${name}\``))
  expect(missing).toEqual([])
})

test("a pipeline with a component that is not configured is found", () => {
  expect(
    collectorProblems("exporters:\n  otlp:\nservice:\n  pipelines:\n    traces:\n      exporters: [otlp, other]"),
  ).toEqual(["exporters: no other"])
  expect(collectorProblems("- a")).toEqual(["no pipeline"])
})
