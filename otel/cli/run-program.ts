import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { randomBytes } from "node:crypto"
import { StartError } from "../command/fail.ts"
import { withInheritedUmask } from "../model/private-files.ts"
import { findHome } from "../command/home.ts"
import { startInspector } from "../command/start-inspector.ts"
import { CommandError, EXIT } from "./exit.ts"
import { isInspector } from "./is-inspector.ts"
import { reportingEnvironment } from "./reporting-environment.ts"
import { runningUrl, setEnvironment } from "./start.ts"

export interface RunOptions {
  readonly command: readonly string[]
  readonly port?: number | undefined
  readonly data?: string | undefined
  readonly name?: string | undefined
  readonly keep: boolean
}

interface Doors {
  readonly url: string
  stop(): Promise<void>
}

/** What shells say of a program that cannot be found. */
const NOT_FOUND = 127
const SIGNALLED = 128

/**
 * `pagespan run -- <command>`: the program starts when the doors are open, since Sentry's SDKs give up for good after a
 * few refused sends, and finds in its environment where to report. Its signals and its exit code are passed on.
 */
export async function runProgram({ command, port, data, name, keep }: RunOptions): Promise<number> {
  const [program, ...parameters] = command
  if (program === undefined) throw new CommandError("run what? Like: pagespan run -- npm run dev", EXIT.usage)
  const given = { ...process.env }
  setEnvironment({ port, data, host: undefined })
  const doors = await openDoors()
  const run = name ?? randomBytes(4).toString("hex")
  console.error(`pagespan: ${doors.url}/traces?q=${encodeURIComponent(`run:${run}`)}`)
  const env = { ...given, ...reportingEnvironment(given, doors.url, run) }
  const child = withInheritedUmask(() => spawn(program, parameters, { stdio: "inherit", env }))
  const code = await ended(child, program)
  if (keep) await untilInterrupted()
  await doors.stop()
  return code
}

/** Those of a running inspector, or of one that lives as long as the program. */
async function openDoors(): Promise<Doors> {
  const running = runningUrl()
  if (await isInspector(running)) return { url: running, stop: async () => undefined }
  // The output is the program's: what we and Next have to say goes beside it.
  console.log = console.error
  const inspector = await startInspector(findHome())
  inspector.shown.catch((error: unknown) => console.error(error instanceof StartError ? error.message : error))
  return inspector
}

async function ended(child: ChildProcess, program: string): Promise<number> {
  // Ctrl-C reaches the whole group: the program decides what it means, and we end after it.
  const forward = () => void child.kill("SIGTERM")
  process.on("SIGINT", ignore).on("SIGTERM", forward)
  try {
    return await new Promise<number>((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) => {
        console.error(`pagespan: ${program} cannot be run (${error.code})`)
        resolve(NOT_FOUND)
      })
      child.once("exit", (code, signal) => resolve(code ?? SIGNALLED + (signal ? constants.signals[signal] : 0)))
    })
  } finally {
    process.off("SIGINT", ignore).off("SIGTERM", forward)
  }
}

function ignore(): void {}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve))
}
