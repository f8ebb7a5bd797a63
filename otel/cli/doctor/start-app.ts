import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { createRequire } from "node:module"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { plain } from "../../protocol/line-text.ts"
import { CommandError, EXIT } from "../exit.ts"

/** An app that this command has started. */
export interface StartedApp {
  readonly url: string
  /** How it was started: `next start` if there is a current build, else `next dev`, by the bundler of the app's `dev` script. */
  readonly how: string
  /** The last lines that the app wrote, without what a terminal would execute. */
  log(): readonly string[]
  stop(): Promise<void>
}

/** `next dev` compiles its first page, and some apps connect to databases first. */
const START_LIMIT_MS = 90_000
const STOP_LIMIT_MS = 5_000
const STEP_MS = 200
/** Files that `pagespan init` edits, and that a build before its edits does not contain. */
const SETTINGS_FILE = /^(?:next\.config|instrumentation(?:-client)?|proxy|middleware)\.[cm]?[jt]sx?$/
/**
 * The host that apps are developed on. With an address of it, `next dev` 15 takes a rewrite of the app's middleware, which has
 * the name `localhost`, for another server, and requests it from itself without end (seen with 15.4.7 and next-intl).
 */
const HOST = "localhost"
const BUNDLER_SWITCHES = ["--webpack", "--turbopack"]
/** Characters of the app's output that are kept, and lines of them that are shown. */
const KEPT_OUTPUT = 4_000
const SHOWN_LINES = 20

/**
 * Starts the Next app of a directory on a free port of this machine, from its build if it has one.
 *
 * @param environment variables in addition to those of this process.
 * @throws {CommandError} if Next is not installed, or the app does not answer.
 */
export async function startApp(directory: string, environment: Record<string, string>): Promise<StartedApp> {
  const program = nextProgram(directory)
  if (program === undefined)
    throw new CommandError("Next is not installed here: install the packages of your app first", EXIT.usage)
  const port = await freePort()
  const words = hasCurrentBuild(directory) ? ["start"] : ["dev", ...bundlerOf(directory)]
  const how = `next ${words.join(" ")}`
  const child = spawn(process.execPath, [program, ...words, "--port", String(port), "--hostname", HOST], {
    cwd: directory,
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-KEPT_OUTPUT)))
  const log = () => linesOf(output).slice(-SHOWN_LINES)
  const exited = new Promise<void>((done) => child.once("exit", () => done()).once("error", () => done()))
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGTERM")
    const timeout = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS)
    await exited
    clearTimeout(timeout)
  }
  const kill = () => child.kill("SIGKILL")
  process.once("exit", kill)
  void exited.then(() => process.off("exit", kill))
  const url = `http://${HOST}:${port}`
  const deadline = Date.now() + START_LIMIT_MS
  while (Date.now() < deadline && child.exitCode === null) {
    if (await answers(url)) return { url, how, log, stop }
    await new Promise((later) => setTimeout(later, STEP_MS))
  }
  await stop()
  throw new CommandError(`${how} did not start your app:\n${log().join("\n")}`, EXIT.unreachable)
}

function linesOf(output: string): string[] {
  return stripVTControlCharacters(output)
    .split("\n")
    .map((line) => plain(line).trimEnd())
    .filter((line) => line !== "")
}

/** The switch of `next dev` in the app's `dev` script. An app whose loaders need webpack does not run without it. */
function bundlerOf(directory: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    scripts?: Record<string, string>
  }
  const words = scripts?.["dev"]?.split(" ") ?? []
  return words.includes("next") ? BUNDLER_SWITCHES.filter((each) => words.includes(each)) : []
}

/** Whether the app has a build that is newer than its configuration and instrumentation files. */
function hasCurrentBuild(directory: string): boolean {
  const built = changedAt(join(directory, ".next/BUILD_ID"))
  const settings = ["", "src"].flatMap((folder) =>
    entriesOf(join(directory, folder))
      .filter((name) => SETTINGS_FILE.test(name))
      .map((name) => join(directory, folder, name)),
  )
  return built !== undefined && settings.every((file) => (changedAt(file) ?? 0) <= built)
}

function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

function entriesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

function nextProgram(directory: string): string | undefined {
  try {
    return createRequire(join(directory, "package.json")).resolve("next/dist/bin/next")
  } catch {
    return undefined
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(START_LIMIT_MS) })
    return true
  } catch {
    // It does not listen yet.
    return false
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, HOST, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
