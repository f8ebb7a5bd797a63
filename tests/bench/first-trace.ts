import { cpSync } from "node:fs"
import { mkdir, mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { packPackage } from "#tests/package/foreign-app.ts"
import { launchWholeBrowser } from "#tests/support/chromium.ts"
import { freePort } from "#tests/support/free-port.ts"
import { removeDirectory } from "#tests/support/remove-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { Newcomer } from "./first-trace/newcomer.ts"

/**
 * Measures the time to the first trace on the screen for a new user: `npx pagespan`, then `pagespan init` in a new app of
 * `create-next-app`, then a page of that app. Pagespan comes from its tarball, all other packages from npm's registry. Run it
 * with `npm run bench:first-trace`; `-- --cold` empties the caches of npm and of the inspector's engine.
 */

const LIMIT_MS = 300_000
const ADDRESS = /^Pagespan is on (http:\S+)$/m
/** The packages that `create-next-app` installs. */
const APP_PACKAGES = ["next@16", "react@19", "react-dom@19", "typescript@5", "@types/node@20", "@types/react@19"]

const isCold = process.argv.includes("--cold")
const tarball = await packPackage()
const scratch = await mkdtemp(join(tmpdir(), "pagespan-first-trace-"))
const inspectorDirectory = join(scratch, "inspector")
const app = join(scratch, "app")
await mkdir(inspectorDirectory)
cpSync(join(import.meta.dirname, "../package/apps/untouched"), app, { recursive: true })
const newcomer = new Newcomer(isCold ? join(scratch, "cache") : undefined)
const browser = await launchWholeBrowser()
const screen = await browser.newPage()
const times: number[] = []

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  times.push(performance.now() - start)
  console.info(`${shown(times.at(-1) ?? NaN)}  ${what}`)
  return result
}

const shown = (ms: number) => `${(ms / 1_000).toFixed(1).padStart(6)} s`
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

async function openInspector(): Promise<string> {
  const ports = { PAGESPAN_GRPC: "off", PAGESPAN_SPOTLIGHT: "off", PAGESPAN_SELF: "off" }
  const words = ["--yes", `--package=${tarball}`, "--", "pagespan", "--no-open", "--port", "0"]
  newcomer.start(inspectorDirectory, ports, "npx", ...words)
  const url = await waitFor("the inspector", () => ADDRESS.exec(newcomer.output)?.[1], LIMIT_MS).catch((error) => {
    throw new Error(`${String(error)}\n${newcomer.output}`)
  })
  await screen.goto(`${url}/traces`)
  await screen.getByRole("heading", { level: 1 }).waitFor()
  return url
}

function npmInstall(...packages: readonly string[]): Promise<void> {
  return newcomer.run(app, "npm", "install", "--no-audit", "--no-fund", ...packages)
}

try {
  const inspector = await timed("npx pagespan, to its first screen in Chromium", openInspector)
  const start = performance.now()
  await npmInstall(...APP_PACKAGES)
  console.info(`(${shown(performance.now() - start).trim()} for the app itself: npm install ${APP_PACKAGES.join(" ")})`)
  await timed("npm install pagespan, in the app", () => npmInstall(tarball))
  await timed("npx pagespan init --yes", () => newcomer.run(app, "npx", "pagespan", "init", "--yes"))
  const url = `http://localhost:${await freePort()}`
  await timed("npx next dev, until its first page answers", async () => {
    const to = { OTEL_EXPORTER_OTLP_ENDPOINT: inspector }
    newcomer.start(app, to, "npx", "next", "dev", "--port", new URL(url).port)
    await newcomer.answers(url, LIMIT_MS)
  })
  await timed("the page in Chromium, until its page load is in the inspector's list", async () => {
    const page = await browser.newPage()
    await page.goto(url)
    await screen.getByRole("row", { name: /first-browser/ }).waitFor({ timeout: LIMIT_MS })
  })
  console.info(`${shown(sum(times))}  in all, with ${isCold ? "empty" : "this machine's"} caches`)
} finally {
  await browser.close()
  await newcomer.stop()
  await removeDirectory(scratch)
}
