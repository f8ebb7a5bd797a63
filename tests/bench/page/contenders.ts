import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { Contender, FARO, versionOf } from "./contender.ts"

const APP = "cost"
const INSTALL_LIMIT_MS = 180_000

/** By the name of the build: `PAGES_VARIANT` of `tests/pages/cost`. */
const TITLES: Readonly<Record<string, string>> = {
  bare: "bare app",
  pagespan: "Pagespan",
  sentry: `\`@sentry/nextjs\` ${versionOf("@sentry/nextjs")}`,
  faro: `Faro ${versionOf("@grafana/faro-web-sdk")} with tracing`,
  opentelemetry: `OpenTelemetry ${versionOf("@opentelemetry/sdk-trace-web")}`,
}

interface Contenders {
  /** The bare app, Pagespan, the others. */
  readonly list: readonly Contender[]
  stop(): Promise<void>
}

/** Builds and starts the app once for each SDK, one after another. One that fails is in the list without an origin. */
export async function startContenders(environment: Readonly<Record<string, string>>): Promise<Contenders> {
  const apps: AppUnderTest[] = []
  const list: Contender[] = []
  for (const [name, title] of Object.entries(TITLES)) {
    console.info(`builds and starts: ${title}`)
    try {
      // `next build` checks the types of all variants, so it needs the packages of all.
      await installFaro()
      const app = await startApp(APP, { environment, variant: { name } })
      apps.push(app)
      list.push(new Contender(title, app.origin))
    } catch (error) {
      const failed = new Contender(title, undefined)
      failed.fail(error)
      list.push(failed)
    }
  }
  return {
    list,
    async stop() {
      await Promise.all(apps.map((app) => app.stop()))
    },
  }
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
