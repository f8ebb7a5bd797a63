import { exec } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { ForeignApp, NEXT_PACKAGES, SENTRY_PACKAGES } from "#tests/package/foreign-app.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { SERVER_ERROR } from "./comparison/compare.ts"

const REPOSITORY = join(import.meta.dirname, "../..")

/** Path of a route handler that is added to both copies, and throws. Proxies leave paths with a dot alone, as those of files. */
export const FAILING_PATH = "/api/pagespan-comparison.json"
const FAILING_HANDLER = `import { headers } from 'next/headers';

export async function GET() {
  await headers();
  throw new Error('${SERVER_ERROR}');
}
`

/** A copy of an app outside its repository. */
export interface AppCopy {
  readonly app: ForeignApp
  /** What `pagespan init` left to the owner. */
  readonly left: readonly string[]
}

/**
 * Copies an app as it is, with a route handler that throws.
 *
 * @param directory an app with its packages, or one of this repository's own, which gets the repository's packages.
 */
export async function copyWithout(directory: string): Promise<AppCopy> {
  const app = await copyOf(directory, [])
  return { app, left: [] }
}

/**
 * Copies an app, and adopts Pagespan in it as its owner would: installs the packed package, and runs `pagespan init --yes`, which
 * installs Sentry's SDK where the app lacks it.
 *
 * @param dsn where the app sends to.
 * @param afterInit a shell command that does in the copy what `init` leaves to the owner.
 */
export async function copyAdopted(directory: string, dsn: string, afterInit: string | undefined): Promise<AppCopy> {
  const app = await copyOf(directory, SENTRY_PACKAGES)
  const isInstalled = existsSync(join(app.directory, "node_modules/pagespan"))
  if (!isInstalled) await app.installPackage()
  const output = await app.run("pagespan", ["init", "--yes", "--dsn", dsn, ...(isInstalled ? ["--no-install"] : [])])
  if (afterInit !== undefined) await runCommand(afterInit, app.directory)
  const left = output.split("\n").filter((line) => line.startsWith("Left to you: "))
  return { app, left: left.map((line) => line.slice("Left to you: ".length)) }
}

/** Packing builds with Next, which sets NODE_ENV in this process: npm would then remove the app's devDependencies. */
async function runCommand(command: string, directory: string): Promise<void> {
  await promisify(exec)(command, { cwd: directory, env: cleanEnvironment() as unknown as NodeJS.ProcessEnv })
}

async function copyOf(directory: string, additional: readonly string[]): Promise<ForeignApp> {
  const app = existsSync(join(directory, "node_modules"))
    ? await ForeignApp.copyOf(directory)
    : await ForeignApp.create(ownApp(directory), [...NEXT_PACKAGES, ...listedBy(directory), ...additional])
  const routes = existsSync(join(app.directory, "src/app")) ? "src/app" : "app"
  const handler = join(app.directory, routes, `.${FAILING_PATH}/route.js`)
  mkdirSync(dirname(handler), { recursive: true })
  writeFileSync(handler, FAILING_HANDLER)
  return app
}

/** Name of an app of this repository. */
function ownApp(directory: string): string {
  const name = relative(join(REPOSITORY, "tests/package/apps"), directory)
  if (name.startsWith("..")) throw new Error(`${directory} has no node_modules: install the app's packages first`)
  return name
}

function listedBy(directory: string): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>
  }
  return Object.keys(dependencies ?? {})
}
