import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { cp, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const TSC = join(process.cwd(), "node_modules/.bin/tsc")
const STRICT = ["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2024"]

const APP = `import { setFilters, type Filter, type ErrorFacts } from "./declarations/filters.ts"
const widget: Filter<ErrorFacts> = { name: "widget", reason: "noisy_error", drops: ({ message }) => message === "" }
setFilters({
  errors: [widget],
  ignoreErrors: [/x/, "y"],
  beforeSend: (event, hint) => (hint.originalException === undefined ? null : { ...event, tags: { team: "shop" } }),
})
`

/** The declarations of `pagespan/filters`, in a directory from which no package resolves. */
async function declarations(): Promise<string> {
  const directory = await temporaryDirectory()
  await compile(
    [
      "--declaration",
      "--emitDeclarationOnly",
      "--rewriteRelativeImportExtensions",
      "--skipLibCheck",
      "--types",
      "node",
      "--lib",
      "es2024,dom",
      "--rootDir",
      "otel",
      "--outDir",
      join(directory, "declarations"),
      "otel/filters.ts",
    ],
    process.cwd(),
  )
  return directory
}

/** @returns the compiler's output; empty if there is no error. */
async function compile(parameters: readonly string[], cwd: string): Promise<string> {
  return promisify(execFile)(TSC, ["--ignoreConfig", ...STRICT, ...parameters], { cwd }).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  )
}

const checkApp = (directory: string) =>
  compile(["--noEmit", "--allowImportingTsExtensions", "--types", "", "--lib", "es2024,dom", "app.ts"], directory)

describe("the types of pagespan/filters", () => {
  test("compile in an app without Sentry's packages", async () => {
    const directory = await declarations()
    await writeFile(join(directory, "app.ts"), APP)
    expect(await checkApp(directory)).toBe("")
    const all = readdirSync(join(directory, "declarations"), { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    )
    expect(all).toContain("filters.d.ts")
    expect(
      all.filter((file) => readFileSync(join(directory, "declarations", file), "utf8").includes("@sentry/")),
    ).toEqual([])
  })

  test("would not compile there with a type of @sentry/core", async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, "declarations"))
    await writeFile(
      join(directory, "declarations/filters.d.ts"),
      `import type { ErrorEvent } from "@sentry/core"\nexport declare function setFilters(filters: { beforeSend(event: ErrorEvent): void }): void\n`,
    )
    await writeFile(
      join(directory, "app.ts"),
      `import { setFilters } from "./declarations/filters.ts"\nsetFilters({ beforeSend: () => {} })\n`,
    )
    expect(await checkApp(directory)).toContain("@sentry/core")
  })

  test("accept a beforeSend with Sentry's own types", async () => {
    const directory = await declarations()
    await cp(join(directory, "declarations"), join(directory, "types"), { recursive: true })
    await writeFile(
      join(directory, "app.ts"),
      `import type { ErrorEvent, EventHint } from ${JSON.stringify(join(process.cwd(), "node_modules/@sentry/core/build/types/index.d.ts"))}
import { setFilters } from "./types/filters.ts"
setFilters({ beforeSend: (event: ErrorEvent, _hint: EventHint): ErrorEvent | null => event })
`,
    )
    expect(await checkApp(directory)).toBe("")
  })
})
