import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, onTestFinished, test } from "vitest"

const REPORTER = resolve("otel/testing/playwright-reporter.ts")
const CLI = resolve("node_modules/@playwright/test/cli.js")

/** The output of a Playwright run of `count` tests, of which the last fails, with these reporters around ours. */
function outputOf(before: readonly string[], after: readonly string[], count: number): string {
  mkdirSync("dist", { recursive: true })
  const directory = mkdtempSync(resolve("dist", "playwright-reporter-"))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const reporters = [...before.map((name) => [name]), [REPORTER, { run: "unit" }], ...after.map((name) => [name])]
  writeFileSync(
    join(directory, "playwright.config.ts"),
    `export default { workers: 1, outputDir: "failed", reporter: ${JSON.stringify(reporters)} }`,
  )
  const tests = `import { expect, test } from "@playwright/test"
for (let i = 1; i <= ${count}; i++) test("test " + i, () => expect(i).toBeLessThan(${count}))`
  writeFileSync(join(directory, "some.spec.ts"), tests)
  const env = { ...process.env, PAGESPAN_URL: "", OTEL_EXPORTER_OTLP_ENDPOINT: "", FORCE_COLOR: "0" }
  const { stdout } = spawnSync(process.execPath, [CLI, "test"], { cwd: directory, encoding: "utf8", env })
  return stdout
}

/** What comes before the first line of ours: the end of what another reporter printed. */
function before(output: string): string {
  return output.slice(0, output.indexOf("pagespan: ")).slice(-4)
}

test("the report begins on a line of its own, where another reporter has printed a part of one", () => {
  expect(before(outputOf([], ["dot"], 3))).toBe("··F\n")
})

test("no blank line precedes the report where no line is open", () => {
  // The reporter `dot` has ended its line before ours is at its end.
  expect(before(outputOf(["dot"], [], 2))).toMatch(/[^\n]\n$/)
  expect(outputOf([], ["json"], 1)).toMatch(/^pagespan: /)
})
