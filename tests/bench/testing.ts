import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { chromiumPath } from "#tests/support/chromium.ts"
import { ForeignApp } from "#tests/package/foreign-app.ts"
import { startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"

/**
 * `npm run bench:testing -- --rounds 5 [--only app]`: what the traces of tests cost a suite. Runs four suites in a foreign project
 * with and without Pagespan in turns, and prints what it adds to wall time and to CPU time: the mean of the differences of the
 * pairs, and its standard error. The traces go to a file. The suite `app` opens pages of a Next.js app with Pagespan's tracer, which
 * sends to a Sentry and a collector of the benchmark.
 */

interface Suite {
  readonly name: string
  readonly program: readonly string[]
  readonly tests: number
}

const UNIT_FILES = 20
const UNIT_TESTS = 100
const BROWSER_TESTS = 30
const APP_TESTS = 10
/** What a test takes that renders a component or calls a handler. */
const WORK_MS = 10

const rounds = Number(process.argv[process.argv.indexOf("--rounds") + 1]) || 5
const app = await ForeignApp.create("testing", ["vitest", "@playwright/test"])
const server = createServer((request, response) => {
  const isPage = request.url === "/"
  response.setHeader("content-type", isPage ? "text/html" : "text/plain")
  setTimeout(
    () =>
      response.end(
        isPage
          ? "<h1>Shop</h1><button onclick=\"fetch('/add').then(() => this.textContent = 'Added')\">Add</button>"
          : "ok",
      ),
    20,
  )
}).listen(0)
const { port } = server.address() as AddressInfo

function write(path: string, text: string): void {
  mkdirSync(join(app.directory, path, ".."), { recursive: true })
  writeFileSync(join(app.directory, path), text)
}

function writeUnitTests(folder: string, work: string): void {
  const one = (index: number) =>
    `test("adds ${index}", async () => { ${work}expect(${index} + 1).toBe(${index + 1}) })\n`
  const text = `import { expect, test } from "vitest"\n${Array.from({ length: UNIT_TESTS }, (_, index) => one(index)).join("")}`
  for (let file = 0; file < UNIT_FILES; file++) write(`${folder}/${file}.test.ts`, text)
  for (const isTraced of [true, false])
    write(
      `${folder}.${isTraced ? "traced" : "plain"}.ts`,
      `export default { test: { include: ["${folder}/*.test.ts"], setupFiles: ${isTraced ? '["pagespan/testing/vitest-setup"]' : "[]"},
  reporters: ${isTraced ? '["dot", "pagespan/testing/vitest-reporter"]' : '["dot"]'} } }\n`,
    )
}

function writeBrowserTests(suite: string, count: number, baseUrl: string, body: string): void {
  for (const [kind, module, reporter] of [
    ["plain", "@playwright/test", '[["dot"]]'],
    ["traced", "pagespan/testing/playwright", '[["pagespan/testing/playwright-reporter"], ["dot"]]'],
  ]) {
    const one = (index: number) => `test("does ${index}", async ({ page }) => {${body}})\n`
    const tests = Array.from({ length: count }, (_, index) => one(index)).join("")
    write(`${suite}-${kind}/shop.spec.ts`, `import { expect, test } from "${module}"\n${tests}`)
    write(
      `${suite}.${kind}.ts`,
      `export default { testDir: "${suite}-${kind}", workers: 1, reporter: ${reporter}, use: { baseURL: "${baseUrl}",
  launchOptions: { executablePath: "${chromiumPath()}", args: ["--no-sandbox"] } } }\n`,
    )
  }
}

const ONE_CLICK = `
  await page.goto("/")
  await page.getByRole("button").click()
  await expect(page.getByRole("button")).toHaveText("Added")
`
/** A test from end to end: opens five pages, and waits in each as tests wait for what a page does. */
const FIVE_PAGES = `
  for (const path of ["/", "/items/1", "/static", "/docs/a", "/"]) {
    await page.goto(path)
    await page.waitForTimeout(300)
  }
`

/** In seconds, of a program and its children. */
interface Times {
  readonly wall: number
  readonly cpu: number
}

function meanOf(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) }
}

async function run(program: readonly string[], config: string): Promise<Times> {
  const command = `TIMEFORMAT='%R %U %S'; time node ${program.join(" ")} ${config} > run.log 2>&1`
  const child = spawn("bash", ["-c", command], {
    cwd: app.directory,
    env: { ...cleanEnvironment(), PAGESPAN_URL: "http://127.0.0.1:9" } as unknown as NodeJS.ProcessEnv,
  })
  let output = ""
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  if (code !== 0) throw new Error(`${command} ended with ${code}: see ${app.directory}/run.log`)
  const [wall = 0, user = 0, system = 0] = output.trim().split(/\s+/).map(Number)
  return { wall, cpu: user + system }
}

const VITEST = ["node_modules/vitest/vitest.mjs", "run", "--config"]
const PLAYWRIGHT = ["node_modules/playwright/cli.js", "test", "--config"]
const SUITES: readonly Suite[] = [
  { name: "empty", program: VITEST, tests: UNIT_FILES * UNIT_TESTS },
  { name: "work", program: VITEST, tests: UNIT_FILES * UNIT_TESTS },
  { name: "browser", program: PLAYWRIGHT, tests: BROWSER_TESTS },
  { name: "app", program: PLAYWRIGHT, tests: APP_TESTS },
]
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined
const chosen = SUITES.filter(({ name }) => only === undefined || name === only)
if (chosen.length === 0) throw new Error(`--only takes ${SUITES.map(({ name }) => name).join(", ")}, not ${only}`)
const sentry = await new RecordingSentry().listen()
const collector = await new RecordingCollector().listen()
const environment = { SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
const pages = chosen.some(({ name }) => name === "app") ? await startApp("routes", { environment }) : undefined

writeUnitTests("empty", "")
writeUnitTests("work", `await new Promise((done) => setTimeout(done, ${WORK_MS})); `)
writeBrowserTests("browser", BROWSER_TESTS, `http://localhost:${port}`, ONE_CLICK)
writeBrowserTests("app", APP_TESTS, pages?.origin ?? "", FIVE_PAGES)
for (const { name, program, tests } of chosen) {
  const times = { plain: [] as Times[], traced: [] as Times[] }
  for (let round = 0; round < rounds; round++) {
    // What ran before changes what a run takes by some percent: a server works on what the last run sent.
    const order = round % 2 === 0 ? (["plain", "traced"] as const) : (["traced", "plain"] as const)
    for (const kind of order) {
      times[kind].push(await run(program, `${name}.${kind}.ts`))
      sentry.clear()
      collector.clear()
    }
  }
  for (const what of ["wall", "cpu"] as const) {
    const plain = times.plain.map((time) => time[what])
    const { mean, error } = meanOf(times.traced.map((time, round) => time[what] - (plain[round] ?? 0)))
    const without = meanOf(plain).mean
    const percent = (seconds: number): string => ((seconds / without) * 100).toFixed(1)
    const eachMs = ((mean / tests) * 1_000).toFixed(1)
    console.log(
      `${name}, ${tests} tests, ${what}: ${without.toFixed(1)} s without, ${mean.toFixed(2)} s more with, which is ${eachMs} ms a test, ${percent(mean)} % ± ${percent(error)}`,
    )
  }
}
server.close()
await pages?.stop()
await sentry.close()
await collector.close()
await app.remove()
