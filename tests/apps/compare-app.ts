import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { launchChromium } from "#tests/support/chromium.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { type AppCopy, copyAdopted, copyWithout, FAILING_PATH } from "./app-copies.ts"
import { type Bundler, bundlerArguments } from "./bundlers.ts"
import { type Comparison, compare } from "./comparison/compare.ts"
import { type Visit, visit } from "./comparison/visit.ts"
import { type EndToEnd, runEndToEnd } from "./end-to-end.ts"

/** An app, and how to build and visit it. */
export interface ComparedApp {
  /** Its directory, which is copied and not changed. */
  readonly directory: string
  readonly bundler: Bundler
  /** Paths to load. Default: `/`, each page without parameters, and one that does not exist; at most 12. */
  readonly loads?: readonly string[]
  /** How many links of each loaded page to follow. */
  readonly links: number
  /** Variables of build and server. `{dsn}` in a value is the DSN of a Sentry that records. */
  readonly environment?: Readonly<Record<string, string>>
  /** A shell command that does in the adopted copy what `init` leaves to the owner. */
  readonly afterInit?: string | undefined
  /** A shell command that runs the app's own end-to-end tests. See `runEndToEnd` for its environment. */
  readonly endToEnd?: string | undefined
}

export interface AppComparison extends Comparison {
  /** What `pagespan init` left to the owner. */
  readonly left: readonly string[]
  /** The app's own end-to-end tests, if it was said how they run. */
  readonly endToEnd: EndToEnd | undefined
}

/** A copy that is built and answers. */
interface Served {
  readonly copy: AppCopy
  readonly origin: string
  readonly environment: Readonly<Record<string, string>>
}

/** The app cannot be built without Pagespan. */
export class FailsWithoutPagespan extends Error {}

const MAX_LOADS = 12
const UNKNOWN_PATH = "/no-such-page"
/** With a key of its own, each build would name the server actions of a form differently. 32 bytes in Base64. */
const ACTIONS_KEY = Buffer.alloc(32, "pagespan").toString("base64")

/**
 * Builds the app with Pagespan and without, opens the same pages of both in Chromium, and compares what they show and send.
 *
 * @throws {FailsWithoutPagespan} with the output of the build.
 */
export async function compareApp(app: ComparedApp): Promise<AppComparison> {
  const sentry = await new RecordingSentry().listen()
  const collector = await new RecordingCollector().listen()
  const browser = await launchChromium()
  const copies: AppCopy[] = []
  try {
    // What the app without Pagespan sends to Sentry by itself must not count as sent by Pagespan.
    const other = await new RecordingSentry().listen()
    copies.push(await copyWithout(app.directory))
    const plain = await serve(copies[0]!, app.bundler, variables(app, other)).catch((error: unknown) => {
      throw new FailsWithoutPagespan(String(error), { cause: error })
    })
    const [first, second] = [await visits(plain, app, browser), await visits(plain, app, browser)]
    copies.push(await copyAdopted(app.directory, sentry.dsn, app.afterInit))
    const sending = { SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
    const tracing = await serve(copies[1]!, app.bundler, { ...variables(app, sentry), ...sending })
    const comparison = await compare([first, second], await visits(tracing, app, browser), collector, sentry)
    const endToEnd = await endToEndOf(app, plain, tracing)
    await other.close()
    return { ...comparison, left: copies[1]!.left, endToEnd }
  } finally {
    await browser.close()
    for (const copy of copies) await copy.app.remove()
    await sentry.close()
    await collector.close()
  }
}

function variables({ environment = {} }: ComparedApp, sentry: RecordingSentry): Record<string, string> {
  const entries = Object.entries(environment).map(([name, value]) => [name, value.replaceAll("{dsn}", sentry.dsn)])
  const given = Object.fromEntries(entries) as Record<string, string>
  return { NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: ACTIONS_KEY, ...given, NODE_ENV: "production" }
}

/** Builds and starts a copy. */
async function serve(copy: AppCopy, bundler: Bundler, environment: Record<string, string>): Promise<Served> {
  await copy.app.run("next", ["build", ...bundlerArguments(copy.app, bundler)], environment)
  const port = await freePort()
  // With an address as hostname, Next takes what a proxy rewrites to for another server, and runs the proxy again.
  copy.app.spawn("next", ["start", "--port", String(port), "--hostname", "localhost"], environment)
  return { copy, origin: `http://localhost:${port}`, environment }
}

/** Opens the pages of a copy. */
async function visits({ copy, origin }: Served, { loads, links }: ComparedApp, browser: Browser): Promise<Visit> {
  const { directory } = copy.app
  const basePath = basePathOf(directory)
  const paths = loads ?? pagesOf(directory)
  await copy.app.answers(`${origin}${basePath}${paths[0]}`)
  await fetch(`${origin}${basePath}${FAILING_PATH}`, { redirect: "manual" })
  return visit(browser, origin, { loads: paths.map((path) => `${basePath}${path}`), links })
}

/** Runs the app's own tests on both copies, one after the other. */
async function endToEndOf({ endToEnd: command }: ComparedApp, without: Served, adopted: Served) {
  if (command === undefined) return
  const run = ({ copy, origin, environment }: Served) => runEndToEnd(copy.app.directory, command, origin, environment)
  return { without: await run(without), adopted: await run(adopted) }
}

function basePathOf(directory: string): string {
  return (readBuilt(directory, "routes-manifest.json") as { basePath?: string }).basePath ?? ""
}

/** The pages of a built app that have no parameters. */
function pagesOf(directory: string): string[] {
  const routes = readBuilt(directory, "app-path-routes-manifest.json") as Record<string, string>
  const isPlain = ([file, path]: [string, string]) => file.endsWith("/page") && !/[[(_]/.test(path) && path !== "/"
  const pages = Object.entries(routes).filter(isPlain)
  const paths = ["/", ...pages.map(([, path]) => path).sort()]
  return [...new Set(paths).values()].slice(0, MAX_LOADS - 1).concat(UNKNOWN_PATH)
}

function readBuilt(directory: string, name: string): unknown {
  const file = join(directory, ".next", name)
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
}
