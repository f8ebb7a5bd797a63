import { existsSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { importsOf, loadedImportsOf, sourceFilesBelow } from "#tests/support/source-files.ts"
import { circlesIn, groupBy, isAllowed, MAY_IMPORT, type Part, partOf, PARTS } from "./import-rules.ts"

const FILES = [...sourceFilesBelow("otel"), ...sourceFilesBelow("app")]
const STYLES = sourceFilesBelow("app", /\.css$/)
const IMPORTS = FILES.flatMap(importsOf)

/** A file of each part, for imports that no file may have. */
const SAMPLES: Readonly<Record<Part, string>> = {
  protocol: "otel/protocol/limits.ts",
  sdk: "otel/sdk/server/start.ts",
  testing: "otel/testing/run-report.ts",
  entry: "otel/server.ts",
  inspector: "otel/inspector/store/store.ts",
  cli: "otel/cli/main.ts",
  app: "app/page.tsx",
}

/** The public entries that run in a page. */
const PAGE_ENTRIES = ["browser.ts", "filters.ts", "instrumentations.ts", "react.tsx", "route.ts", "sentry.ts"].map(
  (name) => `otel/${name}`,
)

/** The files, and all that they load. */
function reachedFrom(files: readonly string[]): string[] {
  const reached = new Set(files)
  // A set visits what is added to it during the loop.
  for (const file of reached)
    for (const { target } of loadedImportsOf(file)) if (existsSync(target)) reached.add(target)
  return [...reached]
}

describe("the import rules", () => {
  test("know the part of every file", () => {
    expect(FILES.filter((file) => partOf(file) === undefined)).toEqual([])
  })

  test.each(PARTS)("hold for every import of %s", (part) => {
    const own = IMPORTS.filter(({ file }) => partOf(file) === part)
    expect(own.length).toBeGreaterThan(0)
    expect(own.filter((each) => !isAllowed(each))).toEqual([])
  })

  const FORBIDDEN = PARTS.flatMap((from) =>
    PARTS.filter((to) => to !== from && !MAY_IMPORT[from].includes(to)).map((to) => [from, to] as const),
  )
  test.each(FORBIDDEN)("forbid %s to import %s", (from, to) => {
    expect(isAllowed({ file: SAMPLES[from], target: SAMPLES[to] })).toBe(false)
  })

  test.each(["otel/inspector/inspector.ts", "otel/cli/server/start-inspector.ts"])(
    "let %s import one file of the SDK only",
    (file) => {
      expect(isAllowed({ file, target: "otel/sdk/server/local-inspector.ts" })).toBe(true)
      expect(isAllowed({ file, target: "otel/sdk/server/start.ts" })).toBe(false)
    },
  )

  test("let route handlers mount the inspector's handlers, and no screen", () => {
    const target = "otel/inspector/api/trace.ts"
    expect(isAllowed({ file: "app/api/traces/route.ts", target })).toBe(true)
    expect(isAllowed({ file: "app/traces/page.tsx", target })).toBe(false)
  })

  test("keep the inspector's parts out of the bundle of every route and screen, however many files are between", () => {
    const reached = reachedFrom(sourceFilesBelow("app"))
    expect(reached).toContain("otel/inspector/instance.ts")
    const parts = ["inspector.ts", "ingest/receiver.ts", "store/store.ts", "queries/query-service.ts"]
    expect(parts.filter((part) => reached.includes(`otel/inspector/${part}`))).toEqual([])
  })

  test("find no circle, type-only imports included", () => {
    expect(circlesIn([...IMPORTS, { file: "a.ts", target: "b.ts" }, { file: "b.ts", target: "a.ts" }])).toEqual([
      ["a.ts", "b.ts", "a.ts"],
    ])
  })

  test("keep SQL in the store", () => {
    const sql = /\b(?:SELECT\s[\s\S]{1,2000}?\sFROM|INSERT\s+INTO|CREATE\s+TABLE|ALTER\s+TABLE)\b/
    expect(sql.test("SELECT a,\n  b\nFROM t")).toBe(true)
    const wrong = FILES.filter((file) => !file.startsWith("otel/inspector/store/")).filter((file) =>
      sql.test(readFileSync(file, "utf8")),
    )
    expect(wrong).toEqual([])
  })

  test("keep growing waits in one backoff", () => {
    const growing = /\w*(?:retry|wait|delay|backoff)\w*(?:\s\*\s2\b|\s\*=)|MS\s\*\s2\s\*\*/i
    const wrong = FILES.filter((file) => growing.test(readFileSync(file, "utf8")))
    expect(wrong).toEqual([])
  })

  test("keep Node's modules and the Sentry packages that do not bundle for a browser out of the page, however many files are between", () => {
    const loaded = reachedFrom([...sourceFilesBelow("otel/sdk/browser"), ...PAGE_ENTRIES])
    expect(loaded).toContain("otel/sdk/sentry/transaction.ts")
    const foreign = /^import (?!type\s)[^"]*"(?:node:|@sentry\/(?:nextjs|opentelemetry))/m
    expect(loaded.filter((file) => foreign.test(readFileSync(file, "utf8")))).toEqual([])
  })
})

describe("the tree", () => {
  test("holds at most 25 files in a folder", () => {
    const folders = groupBy([...FILES, ...STYLES, ...sourceFilesBelow("tests")], (file) =>
      file.slice(0, file.lastIndexOf("/")),
    )
    const crowded = [...folders].filter(([, files]) => files.length > 25).map(([folder]) => folder)
    expect(crowded).toEqual([])
  })

  test("holds no file of more than 300 lines", () => {
    const long = [...FILES, ...STYLES].filter((file) => readFileSync(file, "utf8").split("\n").length - 1 > 300)
    expect(long).toEqual([])
  })

  test("gives folders of app/ that are no routes an underscore", () => {
    const PUBLIC = /(?:^|\/)(?:page|route|layout|template|default)\.tsx?$/
    const folders = new Set(FILES.filter((file) => /^app\/[^/]+\//.test(file)).map((file) => file.split("/")[1] ?? ""))
    const wrong = [...folders].filter(
      (folder) =>
        !folder.startsWith("_") &&
        folder !== "filters" &&
        !FILES.some((file) => file.startsWith(`app/${folder}/`) && PUBLIC.test(file)),
    )
    expect(wrong).toEqual([])
  })
})
