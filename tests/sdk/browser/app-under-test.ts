import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { endProcess } from "#tests/support/end-process.ts"
import { freePort } from "#tests/support/free-port.ts"
import { oneAtATime } from "#tests/support/one-at-a-time.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const REPOSITORY = join(import.meta.dirname, "../../..")
const NEXT = join(REPOSITORY, "node_modules/next/dist/bin/next")
/** What every build depends on, besides the app itself. */
const SHARED_SOURCES = ["otel", "package-lock.json", "tsconfig.json", "tests/pages/built-once.ts"]
/** Below the limit of a hook, so that the error has the build's output. */
const BUILD_LIMIT_MS = 540_000

export interface AppUnderTest {
  /** Without a trailing slash. */
  readonly origin: string
  readonly pid: number
  /** Its output so far, on both streams. */
  output(): string
  /** Ends it by SIGTERM. @returns its exit code. */
  stop(): Promise<number | null>
}

/** Another build of the same app. Its `next.config.ts` reads `PAGES_VARIANT`. */
export interface Variant {
  /** The build is in `.next-<name>`. */
  readonly name: string
  /** Arguments of `next build`, like `--webpack`. */
  readonly buildArguments?: readonly string[]
}

export interface StartOptions {
  /** Variables in addition to those of the tests. */
  readonly environment?: Readonly<Record<string, string>>
  readonly variant?: Variant | undefined
}

/** Starts the production build of an app in `tests/pages` on a free port. */
export async function startApp(name: string, { environment, variant }: StartOptions = {}): Promise<AppUnderTest> {
  const directory = await buildApp(name, variant)
  const port = await freePort()
  const start = ["start", "--port", String(port), "--hostname", "127.0.0.1"]
  const child = runNext(directory, start, { ...environment, ...chosen(variant) })
  const origin = `http://127.0.0.1:${port}`
  const output = collectOutput(child)
  await waitFor(`${name} to answer`, () => fetch(origin, { redirect: "manual" }).then(Boolean, () => false))
  return { origin, pid: child.pid ?? -1, output, stop: () => endProcess(child) }
}

/** Builds the app if its sources have changed. Resolves with its directory. */
export async function buildApp(name: string, variant?: Variant): Promise<string> {
  const directory = join(REPOSITORY, "tests/pages", name)
  await oneAtATime(directory, () => buildIfStale(directory, variant))
  return directory
}

function chosen(variant: Variant | undefined): Record<string, string> {
  return variant === undefined ? {} : { PAGES_VARIANT: variant.name }
}

async function buildIfStale(directory: string, variant: Variant | undefined): Promise<void> {
  const buildArguments = variant?.buildArguments ?? []
  const stamp = join(directory, variant === undefined ? ".next" : `.next-${variant.name}`, "sources")
  const digest = digestOf([directory, ...SHARED_SOURCES.map((path) => join(REPOSITORY, path))], buildArguments)
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return
  // The types of an earlier build may name deleted pages, and every build of the folder is checked against them.
  for (const name of readdirSync(directory))
    if (name.startsWith(".next")) rmSync(join(directory, name, "types"), { recursive: true, force: true })
  const child = runNext(directory, ["build", ...buildArguments], chosen(variant))
  const output = collectOutput(child)
  const timeout = setTimeout(() => child.kill(), BUILD_LIMIT_MS)
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve))
  clearTimeout(timeout)
  if (code !== 0) throw new Error(`next build of ${directory} ended with ${code}:\n${output()}`)
  writeFileSync(stamp, digest)
}

function collectOutput(child: ChildProcess): () => string {
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

function runNext(
  directory: string,
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): ChildProcess {
  // With Vitest's NODE_ENV the build would not be one for production.
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    ...environment,
  }
  return spawn(process.execPath, [NEXT, ...args], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] })
}

function digestOf(paths: readonly string[], buildArguments: readonly string[]): string {
  const hash = createHash("sha256").update(buildArguments.join(" "))
  for (const path of paths.flatMap(filesBelow)) hash.update(path).update(readFileSync(path))
  return hash.digest("hex")
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => !/^(?:\.next.*|next-env\.d\.ts|node_modules|.*\.tsbuildinfo)$/.test(name))
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
}
