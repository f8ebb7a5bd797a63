import { spawn } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"
import { foreignEnvironment } from "../../inspector/foreign-environment.ts"
import { becomeOwner, livingOwner, removeOwnerFile } from "../../inspector/process-owner.ts"
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../protocol/private-files.ts"
import { closeToOthers, ForeignEntry, isForeign, WRITABLE_BY_OTHERS } from "./close-to-others.ts"
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
  return installEngine(directory, npmInstall)
}

/**
 * Installs the engine below the directory, unless it is there. Other processes may install it at the same time, and each may
 * be ended halfway: so each uses a directory of its own, which gets its name once it is complete.
 *
 * @param install installs the project in a directory. Resolves with the exit code.
 * @returns the `node_modules` that contains it.
 * @throws {StartError} when the installation fails.
 */
export async function installEngine(
  directory: string,
  install: (directory: string) => Promise<number | null>,
): Promise<string> {
  const parent = dirname(directory)
  refuseForeignCode(parent)
  const modules = join(directory, "node_modules")
  const isComplete = () => existsSync(join(modules, "chdb/package.json"))
  if (isComplete()) return modules
  console.error(`Installing the embedded engine ${ENGINE} into ${directory}, once (not needed with CLICKHOUSE_URL)`)
  mkdirSync(parent, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
  await removeAbandoned(directory)
  const owner = await becomeOwner(parent, basename(directory))
  const own = `${directory}.${owner.name}`
  try {
    // First, so that no other process takes the directory for an abandoned one.
    writeFileSync(ownerFileOf(own), owner.text, { mode: PRIVATE_FILE_MODE })
    mkdirSync(own, { mode: PRIVATE_DIRECTORY_MODE })
    for (const [name, content] of Object.entries(engineProject())) writeFileSync(join(own, name), content)
    if ((await install(own)) === 0) moveInto(directory, own, isComplete)
  } finally {
    rmSync(own, { recursive: true, force: true })
    rmSync(ownerFileOf(own), { force: true })
    await owner.release()
  }
  if (!isComplete())
    throw new StartError(`The embedded engine could not be installed: run npm install ${ENGINE}, or set CLICKHOUSE_URL`)
  return modules
}

/**
 * The store runs the code in this directory, so nobody may have put it there but this user, root, and the user whose cache it
 * is. What others can write to becomes writable by its owner only.
 *
 * @throws {StartError}
 */
function refuseForeignCode(parent: string): void {
  if (!existsSync(parent)) return
  const refuse = (path: string) => {
    throw new StartError(
      `The embedded engine is in ${parent}, and ${path} belongs to another user or can be written by one: remove it, or set XDG_CACHE_HOME to a directory of yours`,
    )
  }
  const directory = realpathSync(parent)
  const trusted = [statSync(dirname(parent)).uid]
  if (isForeign(lstatSync(directory), trusted)) refuse(directory)
  try {
    closeToOthers(directory, { permissions: WRITABLE_BY_OTHERS, trusted, onFailure: refuse })
  } catch (error) {
    if (error instanceof ForeignEntry) refuse(error.path)
    throw error
  }
}

/** Gives a complete installation its name, unless another process has done so meanwhile. What is incomplete under it is replaced. */
function moveInto(directory: string, own: string, isComplete: () => boolean): void {
  try {
    renameSync(own, directory)
  } catch {
    // Something is there. Another process may use it.
    if (isComplete()) return
    rmSync(directory, { recursive: true, force: true })
    renameSync(own, directory)
  }
}

const ownerFileOf = (directory: string) => `${directory}.owner`

/** Removes what processes left that were ended while they installed the engine. */
async function removeAbandoned(directory: string): Promise<void> {
  const parent = dirname(directory)
  const beside = readdirSync(parent, { withFileTypes: true }).filter(({ name }) =>
    name.startsWith(`${basename(directory)}.`),
  )
  for (const { name } of beside.filter((entry) => entry.isDirectory())) {
    const abandoned = join(parent, name)
    if ((await livingOwner(ownerFileOf(abandoned))) !== undefined) continue
    rmSync(abandoned, { recursive: true, force: true })
    await removeOwnerFile(ownerFileOf(abandoned))
  }
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

/** Installs the project in the directory as its lockfile says, and runs no script of a package. Resolves with the exit code. */
export function npmInstall(directory: string): Promise<number | null> {
  const parameters = ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
  const child = spawn("npm", [...parameters, "--prefix", directory], {
    cwd: directory,
    env: foreignEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  })
  return new Promise((done) => child.once("error", () => done(null)).once("exit", done))
}
