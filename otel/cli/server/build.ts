import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { DirectoryInUse, lockDirectory, unlockDirectory } from "../../inspector/directory-lock.ts"
import { StartError } from "./start-error.ts"

/** The inputs of a build, relative to the project. */
const SOURCES = [
  "app",
  "otel",
  "instrumentation.ts",
  "instrumentation-client.ts",
  "next.config.ts",
  "package-lock.json",
  "tsconfig.json",
]
const OUTPUT = ".next"
const STAMP = join(OUTPUT, "pagespan-sources")
/** Locked while `.next` is built or packaged. Outside of `.next`, which a build empties. */
const LOCKED = "dist/build"
/** Interval of attempts to get the lock. */
const LOCK_MS = 200

/** Whether `.next` is a build of the current sources. */
export function isBuilt(projectDirectory: string): boolean {
  const stamp = join(projectDirectory, STAMP)
  if (!wasBuilt(projectDirectory) || !existsSync(stamp)) return false
  return readFileSync(stamp, "utf8") === digestOfSources(projectDirectory)
}

/** Whether `.next` is a build of any sources. A checkout that is built again uses a cache: its later builds take a quarter of the time. */
function wasBuilt(projectDirectory: string): boolean {
  return existsSync(join(projectDirectory, OUTPUT, "BUILD_ID"))
}

/**
 * Runs a task that builds or reads `.next` as a whole. Of several processes one does so at a time: Next refuses a second build,
 * and the others wait.
 */
export async function whileBuilding<T>(projectDirectory: string, task: () => Promise<T>): Promise<T> {
  const lock = join(projectDirectory, LOCKED)
  mkdirSync(lock, { recursive: true })
  for (let isWaiting = false; !(await isLocked(lock, isWaiting)); isWaiting = true) await sleep(LOCK_MS)
  try {
    return await task()
  } finally {
    await unlockDirectory(lock)
  }
}

/** Builds, unless `.next` is a build of the current sources, which another process may have made meanwhile. */
export function buildOnce(projectDirectory: string): Promise<void> {
  return whileBuilding(projectDirectory, async () => {
    if (!isBuilt(projectDirectory)) await build(projectDirectory)
  })
}

async function isLocked(directory: string, isWaiting: boolean): Promise<boolean> {
  try {
    await lockDirectory(directory)
    return true
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error
    if (!isWaiting) console.error("Another process is building in this directory: waiting for it")
    return false
  }
}

/**
 * Runs `next build` and records a digest of the sources. Its output goes to this process's. Call it in `whileBuilding`.
 *
 * @throws {StartError} when it fails.
 */
export async function build(projectDirectory: string, environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const digest = digestOfSources(projectDirectory)
  const next = createRequire(import.meta.url).resolve("next/dist/bin/next")
  const child = spawn(process.execPath, [next, "build"], {
    cwd: projectDirectory,
    stdio: "inherit",
    env: {
      ...environment,
      ...identityOf(digest),
      ...(wasBuilt(projectDirectory) && { PAGESPAN_BUILD_CACHE: "on" }),
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
    },
  })
  // A build that goes on alone would make the next start fail.
  const end = () => child.kill()
  process.once("exit", end)
  const code = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("exit", resolve))
  process.off("exit", end)
  if (code !== 0) throw new StartError(`next build ended with code ${code}: its output says why`)
  writeFileSync(join(projectDirectory, STAMP), digest)
}

/**
 * What Next otherwise draws at random, so that equal sources make an equal build: the id of the build, which `next.config.ts`
 * reads, and the key for arguments of server actions. The inspector has no server actions.
 *
 * @see https://nextjs.org/docs/app/guides/self-hosting#server-functions-encryption-key
 */
function identityOf(digest: string): Record<string, string> {
  const key = createHash("sha256").update(`server actions ${digest}`).digest("base64")
  return { PAGESPAN_BUILD_ID: digest.slice(0, 20), NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: key }
}

function digestOfSources(projectDirectory: string): string {
  const hash = createHash("sha256")
  for (const source of SOURCES.map((name) => join(projectDirectory, name)).filter((path) => existsSync(path)))
    for (const file of filesOf(source)) hash.update(relative(projectDirectory, file)).update(readFileSync(file))
  return hash.digest("hex")
}

function filesOf(path: string): string[] {
  const files = readDirectory(path)
  return files === undefined ? [path] : files.flatMap((name) => filesOf(join(path, name)))
}

function readDirectory(path: string): string[] | undefined {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined
    throw error
  }
}
