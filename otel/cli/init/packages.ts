import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { sentryProblem, sentryUpgrade } from "../../protocol/sentry-versions.ts"
import { version } from "../version.ts"
import { API, apiCopies } from "./api-copies.ts"
import { type AppFiles, readText } from "./app-files.ts"
import { installedPackage } from "./installed-package.ts"
import { SENTRY, sentryVersion } from "./sentry-version.ts"

/** Further packages of Sentry's SDK that the SDK imports. npm, and yarn by default, install them beside `@sentry/nextjs`. */
const SENTRY_PARTS = ["@sentry/browser", "@sentry/core", "@sentry/opentelemetry"]
const SENTRY_RANGE = "^11.0.0"
/**
 * pnpm installs the newest version that each package accepts. Sentry's SDK accepts a later minor version of the API than
 * OpenTelemetry's SDK does, and Next would take that copy, in which Pagespan's tracer is not registered. What the app lists is
 * preferred for all. So does npm where the app's lockfile has that version, with `legacy-peer-deps`.
 */
export const API_PACKAGE = `${API}@~1.9.1`
/** Ranges without a later minor version, and those that another file or the workspace decides. */
const KEEPS_API = /^(?:[~=v]?1\.9(?:\.[\w.*-]+)?$|[a-z]+:)/
const LOCK_FILES: Readonly<Record<string, PackageManager>> = {
  "pnpm-lock.yaml": "pnpm",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "yarn.lock": "yarn",
  "package-lock.json": "npm",
}
type PackageManager = "npm" | "pnpm" | "yarn" | "bun"

/** Commands that install what the app lacks, one after the other. */
export interface Installation {
  readonly program: PackageManager
  readonly steps: readonly (readonly string[])[]
  readonly text: string
  /** What does not work with the packages that the app has, if some are too old. */
  readonly problem: string | undefined
}

/**
 * The installation of the packages that the app needs and neither lists nor has, and of those of Sentry that are too old.
 *
 * @param wantsSentry whether the app sends to Sentry.
 * @returns `undefined` if none is missing.
 */
export function missingPackages(app: AppFiles, wantsSentry: boolean): Installation | undefined {
  const program = packageManager(app.directory)
  const isInstalled = (name: string) => installedPackage(join(app.directory, "package.json"), name) !== undefined
  const isMissing = (name: string) => !app.packages.has(name) && !isInstalled(name)
  const upgrade = sentryUpgrade(sentryVersion(app))
  const range = upgrade ?? app.packages.get(SENTRY) ?? SENTRY_RANGE
  // What npm will install beside a package that is listed is not there before its first installation.
  const parts = program === "pnpm" || isInstalled(SENTRY) ? SENTRY_PARTS : []
  const sentry = wantsSentry || app.packages.has(SENTRY) ? [SENTRY, ...parts] : []
  const isOutdated = (name: string) => upgrade !== undefined && app.packages.has(name)
  const keepsApi = KEEPS_API.test(app.packages.get(API) ?? "")
  const areSeveral = hasSeveralApis(app)
  const isNewerForSome = areSeveral || (program === "pnpm" && sentry.length > 0 && !keepsApi)
  const api = isNewerForSome ? [API_PACKAGE] : []
  const packages = [
    ...["pagespan"].filter(isMissing).map((name) => `${name}@${version()}`),
    ...sentry.filter((name) => isMissing(name) || isOutdated(name)).map((name) => `${name}@${range}`),
    ...api,
  ]
  // Else pnpm keeps the copy that the lock file has for Sentry's SDK.
  const isDeduped = program === "pnpm" && api.length > 0 && (areSeveral || app.packages.has(SENTRY))
  if (packages.length === 0) return undefined
  const problem = upgrade === undefined ? undefined : sentryProblem(sentryVersion(app))
  return { ...installationOf(app, program, packages, isDeduped), problem }
}

/** The installation that leaves one copy of OpenTelemetry's API, where an installation has made a second one. */
export function apiInstallation(app: AppFiles): Installation | undefined {
  const program = packageManager(app.directory)
  return hasSeveralApis(app) ? installationOf(app, program, [API_PACKAGE], program === "pnpm") : undefined
}

function hasSeveralApis({ directory }: AppFiles): boolean {
  return apiCopies(directory).size > 1
}

function installationOf(
  { directory }: AppFiles,
  program: PackageManager,
  packages: readonly string[],
  isDeduped: boolean,
): Installation {
  const isWorkspaceRoot = program === "pnpm" && existsSync(join(directory, "pnpm-workspace.yaml"))
  const add = [program === "npm" ? "install" : "add", ...(isWorkspaceRoot ? ["-w"] : []), ...packages]
  const steps = isDeduped ? [add, ["dedupe"]] : [add]
  return { program, steps, problem: undefined, text: steps.map((words) => [program, ...words].join(" ")).join(" && ") }
}

/** Runs the installation in the app's directory, with its output. Whether it succeeded. */
export async function install(directory: string, { program, steps }: Installation): Promise<boolean> {
  for (const words of steps) if (!(await run(directory, program, words))) return false
  return true
}

function run(directory: string, program: string, words: readonly string[]): Promise<boolean> {
  // On Windows the program is a script of the shell. The words are names and ranges of packages.
  const isWindows = process.platform === "win32"
  const given = isWindows ? words.map((word) => `"${word}"`) : words
  const child = spawn(program, given, { cwd: directory, stdio: ["ignore", "inherit", "inherit"], shell: isWindows })
  return new Promise((done) => child.once("error", () => done(false)).once("close", (code) => done(code === 0)))
}

/** By `packageManager` in the manifest, else by the lock file, of the app or of a workspace around it. */
export function packageManager(app: string): PackageManager {
  for (let directory = app; ; directory = dirname(directory)) {
    const named = /"packageManager"\s*:\s*"(?<name>npm|pnpm|yarn|bun)@/.exec(readText(directory, "package.json") ?? "")
    if (named?.groups?.["name"] !== undefined) return named.groups["name"] as PackageManager
    const lock = Object.keys(LOCK_FILES).find((file) => existsSync(join(directory, file)))
    if (lock !== undefined) return LOCK_FILES[lock] ?? "npm"
    if (directory === dirname(directory)) return "npm"
  }
}
