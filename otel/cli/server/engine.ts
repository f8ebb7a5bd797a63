import { spawn } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { foreignEnvironment } from "../../inspector/foreign-environment.ts"
import { engineProject } from "./engine-lock.ts"
import { StartError } from "./start-error.ts"

/** The version that the store is tested with. A test compares it with the manifest. */
export const ENGINE = "chdb@3.4.0"

/**
 * Finds the embedded engine, or installs it. The engine takes 570 MB and only the inspector needs it, so the package does
 * not depend on it: the first start installs it into the user's cache, once for all projects. A lockfile pins every package
 * by version and digest, and none of their scripts runs.
 *
 * @returns the `node_modules` that contains it, `undefined` when it is installed beside the package.
 * @throws {StartError} when the installation fails.
 */
export async function findEngine(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (isInstalled()) return undefined
  const directory = join(environment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pagespan", ENGINE)
  const modules = join(directory, "node_modules")
  if (existsSync(join(modules, "chdb/package.json"))) return modules
  console.error(`Installing the embedded engine ${ENGINE} into ${directory}, once (not needed with CLICKHOUSE_URL)`)
  mkdirSync(directory, { recursive: true })
  for (const [name, content] of Object.entries(engineProject())) writeFileSync(join(directory, name), content)
  const code = await npmInstall(directory)
  if (code !== 0)
    throw new StartError(`The embedded engine could not be installed: run npm install ${ENGINE}, or set CLICKHOUSE_URL`)
  return modules
}

function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve("chdb")
    return true
  } catch {
    // The caller looks in the cache.
    return false
  }
}

function npmInstall(directory: string): Promise<number | null> {
  const parameters = ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
  const child = spawn("npm", [...parameters, "--prefix", directory], {
    cwd: directory,
    env: foreignEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  })
  return new Promise((done) => child.once("error", () => done(null)).once("exit", done))
}
