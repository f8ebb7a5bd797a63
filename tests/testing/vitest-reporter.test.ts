import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs")
const REPORTER = join(import.meta.dirname, "../../otel/testing/vitest-reporter.ts")
const SETUP = join(import.meta.dirname, "../../otel/testing/vitest-setup.ts")

test("of Vitest sends each test of a shard once with its file, and none again when the reports are merged", async () => {
  const directory = await temporaryDirectory()
  for (const name of ["a", "b"]) writeFileSync(join(directory, `${name}.test.ts`), `test("${name}", () => {})\n`)
  const collector = await new RecordingCollector().listen()
  onTestFinished(() => collector.close())
  const env = { ...process.env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces` }
  const run = (...words: readonly string[]) =>
    promisify(execFile)(
      process.execPath,
      [VITEST, "run", "--root", directory, "--globals", `--reporter=${REPORTER}`, ...words],
      { cwd: directory, env },
    )
  const names = () => collector.spans().map(({ name }) => name)
  await run("--shard=1/2", "--reporter=blob")
  await run("--shard=2/2", "--reporter=blob")
  expect(names().toSorted()).toEqual(["a.test.ts › a", "b.test.ts › b"])
  const files = collector.spans().map(({ attributes }) => attributes.get("code.file.path"))
  expect(files.toSorted()).toEqual([join(directory, "a.test.ts"), join(directory, "b.test.ts")])
  collector.clear()
  const { stdout } = await run("--merge-reports", "--reporter=default")
  expect(stdout).toMatch(/2 passed/)
  expect(names()).toEqual([])
  expect(stdout).not.toContain("pagespan:")
})

test("an assertion behind a hundred requests has a span, and so has a request behind a hundred assertions", async () => {
  const directory = await temporaryDirectory()
  const collector = await new RecordingCollector().listen()
  onTestFinished(() => collector.close())
  const config = { test: { globals: true, setupFiles: [SETUP], reporters: [REPORTER] } }
  writeFileSync(join(directory, "vitest.config.mjs"), `export default ${JSON.stringify(config)}\n`)
  writeFileSync(
    join(directory, "a.test.ts"),
    `test("a", async () => {
  for (let index = 0; index < 110; index++) await fetch("${collector.endpoint}/asked")
  for (let index = 0; index < 130; index++) expect(index).toBeLessThan(130)
  await fetch("${collector.endpoint}/last")
})
`,
  )
  const env = { ...process.env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces` }
  await promisify(execFile)(process.execPath, [VITEST, "run", "--root", directory], { cwd: directory, env })
  const spans = collector.spans()
  const count = (name: string) => spans.filter((span) => span.name === name).length
  expect([count("GET /asked"), count("expect.toBeLessThan"), count("GET /last")]).toEqual([110, 100, 1])
  expect(spans.find(({ name }) => name === "a.test.ts › a")?.attributes.get("pagespan.omitted_steps")).toBe(30n)
})

test("inline snapshots have their own places in a file, and a hook takes no time of the test's timeout", async () => {
  const directory = await temporaryDirectory()
  const collector = await new RecordingCollector().listen()
  onTestFinished(() => collector.close())
  const config = { test: { globals: true, setupFiles: [SETUP], reporters: [REPORTER, "verbose"], testTimeout: 2_000 } }
  writeFileSync(join(directory, "vitest.config.mjs"), `export default ${JSON.stringify(config)}\n`)
  const attempts = join(import.meta.dirname, "../../otel/testing/active-attempt.ts")
  writeFileSync(
    join(directory, "a.test.ts"),
    `import { untilTimeoutMs } from ${JSON.stringify(attempts)}
test("snapshots", () => {
  expect({ a: 1 }).toMatchInlineSnapshot(\`
    {
      "a": 1,
    }
  \`)
  expect(() => { throw new Error("no") }).toThrowErrorMatchingInlineSnapshot(\`[Error: no]\`)
  expect({ b: 2 }).toMatchInlineSnapshot(\`
    {
      "b": 2,
    }
  \`)
})
describe("after a slow hook", () => {
  beforeEach(() => new Promise((done) => setTimeout(done, 1_000)))
  test("a test has its whole timeout", () => expect(untilTimeoutMs()).toBeGreaterThan(1_500))
})
`,
  )
  const env = { ...process.env, CI: "1", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces` }
  const run = promisify(execFile)(process.execPath, [VITEST, "run", "--root", directory], { cwd: directory, env })
  expect((await run).stdout).toMatch(/2 passed/)
})
