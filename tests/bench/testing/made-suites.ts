import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { ForeignApp } from "#tests/package/foreign-app.ts"
import { startApp } from "#tests/sdk/browser/app-under-test.ts"
import { chromiumPath } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { compareInTurns, type Suite } from "./turns.ts"

export const MADE_SUITES = ["empty", "work", "browser", "app"] as const
export type MadeSuite = (typeof MADE_SUITES)[number]

const UNIT_FILES = 20
const UNIT_TESTS = 100
const BROWSER_TESTS = 30
const APP_TESTS = 10
/** What a test takes that renders a component or calls a handler. */
const WORK_MS = 10

const VITEST = ["node_modules/vitest/vitest.mjs", "run", "--config"]
const PLAYWRIGHT = ["node_modules/playwright/cli.js", "test", "--config"]

/** Compares suites made for it, in a project of their own that has the package from its tarball. */
export async function compareMadeSuites(names: readonly MadeSuite[], rounds: number): Promise<void> {
  const project = await ForeignApp.create("testing", ["vitest", "@playwright/test"])
  const sentry = await new RecordingSentry().listen()
  const collector = await new RecordingCollector().listen()
  const environment = { SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
  const pages = names.includes("app") ? await startApp("routes", { environment }) : undefined
  const shop = await startShop()
  const { directory } = project
  writeUnitTests(directory, "empty", "")
  writeUnitTests(directory, "work", `await new Promise((done) => setTimeout(done, ${WORK_MS})); `)
  writeBrowserTests(directory, "browser", BROWSER_TESTS, shop.origin, ONE_CLICK)
  writeBrowserTests(directory, "app", APP_TESTS, pages?.origin ?? "", FIVE_PAGES)
  for (const name of names)
    await compareInTurns(suiteOf(name, directory), rounds, () => {
      sentry.clear()
      collector.clear()
    })
  shop.close()
  await pages?.stop()
  await sentry.close()
  await collector.close()
  await project.remove()
}

function suiteOf(name: MadeSuite, directory: string): Suite {
  const program = name === "empty" || name === "work" ? VITEST : PLAYWRIGHT
  return { name, directory, plain: [...program, `${name}.plain.ts`], traced: [...program, `${name}.traced.ts`] }
}

/** A page with a button that sends a request. Each answer takes 20 ms. */
async function startShop(): Promise<{ readonly origin: string; close(): void }> {
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
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return { origin: `http://localhost:${port}`, close: () => void server.close() }
}

function writeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function writeUnitTests(directory: string, suite: string, work: string): void {
  const one = (index: number) =>
    `test("adds ${index}", async () => { ${work}expect(${index} + 1).toBe(${index + 1}) })\n`
  const text = `import { expect, test } from "vitest"\n${Array.from({ length: UNIT_TESTS }, (_, index) => one(index)).join("")}`
  for (let file = 0; file < UNIT_FILES; file++) writeFile(join(directory, suite, `${file}.test.ts`), text)
  for (const isTraced of [true, false])
    writeFile(
      join(directory, `${suite}.${isTraced ? "traced" : "plain"}.ts`),
      `export default { test: { include: ["${suite}/*.test.ts"], setupFiles: ${isTraced ? '["pagespan/testing/vitest-setup"]' : "[]"},
  reporters: ${isTraced ? '["dot", "pagespan/testing/vitest-reporter"]' : '["dot"]'} } }\n`,
    )
}

function writeBrowserTests(directory: string, suite: string, count: number, baseUrl: string, body: string): void {
  for (const [kind, module, reporter] of [
    ["plain", "@playwright/test", '[["dot"]]'],
    ["traced", "pagespan/testing/playwright", '[["pagespan/testing/playwright-reporter"], ["dot"]]'],
  ]) {
    const one = (index: number) => `test("does ${index}", async ({ page }) => {${body}})\n`
    const tests = Array.from({ length: count }, (_, index) => one(index)).join("")
    writeFile(join(directory, `${suite}-${kind}`, "shop.spec.ts"), `import { expect, test } from "${module}"\n${tests}`)
    writeFile(
      join(directory, `${suite}.${kind}.ts`),
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
