import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import type { LoadFigures } from "./load.ts"
import type { SessionFigures } from "./session.ts"
import type { Transfer } from "./transfer.ts"

const APP = "cost"
const FARO = "tests/pages/cost/faro"
const INSTALL_LIMIT_MS = 180_000
/** A contender that fails this often is not measured any more. */
const FAILURE_LIMIT = 3

/** A build of the benchmark's app, without an SDK or with one, and its figures. */
export class Contender {
  readonly title: string
  readonly app: AppUnderTest | undefined
  /** The figures of each round; `undefined` for a round that failed. */
  readonly loads: (LoadFigures | undefined)[] = []
  readonly sessions: (SessionFigures | undefined)[] = []
  readonly transfers: (Transfer | undefined)[] = []
  readonly failures: string[] = []

  constructor(title: string, app: AppUnderTest | undefined) {
    this.title = title
    this.app = app
  }

  /** Adds the figures of a round. A failure is reported, and leaves a gap. */
  async measure<F>(list: (F | undefined)[], work: (origin: string) => Promise<F>): Promise<void> {
    if (this.app === undefined || this.failures.length >= FAILURE_LIMIT) return void list.push(undefined)
    try {
      list.push(await work(this.app.origin))
    } catch (error) {
      list.push(undefined)
      this.fail(error)
    }
  }

  fail(error: unknown): void {
    this.failures.push(String(error))
    console.warn(`${this.title} failed: ${String(error)}`)
  }
}

const locked = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, { version: string }>
}
const faro = JSON.parse(readFileSync(join(FARO, "package.json"), "utf8")) as { dependencies: Record<string, string> }

export function versionOf(name: string): string {
  return locked.packages[`node_modules/${name}`]?.version ?? faro.dependencies[name] ?? "?"
}

/** By the name of the build: `PAGES_VARIANT` of `tests/pages/cost`. */
const TITLES: Readonly<Record<string, string>> = {
  bare: "bare app",
  pagespan: "Pagespan",
  sentry: `\`@sentry/nextjs\` ${versionOf("@sentry/nextjs")}`,
  faro: `Faro ${versionOf("@grafana/faro-web-sdk")} with tracing`,
  opentelemetry: `OpenTelemetry ${versionOf("@opentelemetry/sdk-trace-web")}`,
}

/** Builds and starts the app once for each SDK, one after another: the bare app, Pagespan, the others. */
export async function startContenders(environment: Readonly<Record<string, string>>): Promise<Contender[]> {
  const contenders: Contender[] = []
  for (const [name, title] of Object.entries(TITLES)) {
    console.info(`builds and starts: ${title}`)
    try {
      // `next build` checks the types of all variants, so it needs the packages of all.
      await installFaro()
      contenders.push(new Contender(title, await startApp(APP, { environment, variant: { name } })))
    } catch (error) {
      const failed = new Contender(title, undefined)
      failed.fail(error)
      contenders.push(failed)
    }
  }
  return contenders
}

/** Installs Faro by its own lockfile, beside the module that starts it: its packages would add 39 MB to `npm ci`. */
async function installFaro(): Promise<void> {
  const digest = createHash("sha256")
    .update(readFileSync(join(FARO, "package-lock.json")))
    .digest("hex")
  const stamp = join(FARO, "node_modules", digest)
  if (existsSync(stamp)) return
  const options = { cwd: FARO, timeout: INSTALL_LIMIT_MS }
  await promisify(execFile)("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], options)
  writeFileSync(stamp, "")
}
