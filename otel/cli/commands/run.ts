import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { constants } from "node:os"
import type { Argv } from "yargs"
import { withInheritedUmask } from "../../protocol/private-files.ts"
import { CommandError, EXIT } from "../exit.ts"
import { isInspector } from "../inspector-client.ts"
import { findInstallPaths } from "../server/install-paths.ts"
import { StartError } from "../server/start-error.ts"
import { startInspector } from "../server/start-inspector.ts"
import { runningUrl, setEnvironment } from "./start.ts"

export function runCommand(parser: Argv): Argv {
  return parser.command(
    "run",
    "Start a program that reports here, once the handlers are open",
    (command) =>
      command
        .usage("$0 run [options] -- <command>")
        .option("port", { type: "number", describe: "Port of the inspector (PORT)" })
        .option("data", { type: "string", describe: "Directory of the records (PAGESPAN_DATA)" })
        .option("name", { type: "string", describe: "Name of the run, to find it with run:<name>" })
        .option("keep", { type: "boolean", default: false, describe: "Keep the inspector until Ctrl-C" })
        .example("$0 run -- npm run dev", "An app with an OpenTelemetry or Sentry SDK")
        .example("$0 run --name e2e -- npx playwright test", "Then: pagespan assert 'run:e2e status:error' --count 0"),
    async ({ "--": words = [], ...options }) => {
      const { runProgram } = await import("./run.ts")
      process.exit(await runProgram({ ...options, command: words as string[] }))
    },
  )
}

export interface RunOptions {
  readonly command: readonly string[]
  readonly port?: number | undefined
  readonly data?: string | undefined
  readonly name?: string | undefined
  readonly keep: boolean
}

interface Handlers {
  readonly url: string
  stop(): Promise<void>
}

/** What shells say of a program that cannot be found. */
const NOT_FOUND = 127
const SIGNALLED = 128

/**
 * `pagespan run -- <command>`: the program starts when the handlers are open, since Sentry's SDKs give up for good after a
 * few refused sends, and finds in its environment where to report. Its signals and its exit code are passed on.
 */
export async function runProgram({ command, port, data, name, keep }: RunOptions): Promise<number> {
  const [program, ...parameters] = command
  if (program === undefined) throw new CommandError("run what? Like: pagespan run -- npm run dev", EXIT.usage)
  const given = { ...process.env }
  setEnvironment({ port, data, host: undefined })
  const handlers = await openHandlers()
  const run = name ?? randomBytes(4).toString("hex")
  console.error(`pagespan: ${handlers.url}/traces?q=${encodeURIComponent(`run:${run}`)}`)
  const env = { ...given, ...reportingEnvironment(given, handlers.url, run) }
  const child = withInheritedUmask(() => spawn(program, parameters, { stdio: "inherit", env }))
  const code = await ended(child, program)
  if (keep) await untilInterrupted()
  await handlers.stop()
  return code
}

/** Those of a running inspector, or of one that lives as long as the program. */
async function openHandlers(): Promise<Handlers> {
  const running = runningUrl()
  if (await isInspector(running)) return { url: running, stop: async () => undefined }
  // The output is the program's: what we and Next have to say goes beside it.
  console.log = console.error
  const inspector = await startInspector(findInstallPaths())
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

type Environment = Readonly<Record<string, string | undefined>>

const RUN_ATTRIBUTE = "pagespan.run"

/**
 * The variables by which a program's OpenTelemetry or Sentry SDK reports to the inspector. What is set already stays: whoever
 * set it meant it. All that the program sends carries the run's name.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @see https://spotlightjs.com/docs/setup/
 */
export function reportingEnvironment(given: Environment, url: string, run: string): Record<string, string> {
  const wanted = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    SENTRY_SPOTLIGHT: `${url}/stream`,
    NEXT_PUBLIC_SENTRY_SPOTLIGHT: `${url}/stream`,
    SENTRY_TRACES_SAMPLE_RATE: "1.0",
  }
  const unset = Object.entries(wanted).filter(([name]) => !given[name])
  return { ...Object.fromEntries(unset), OTEL_RESOURCE_ATTRIBUTES: withRun(given["OTEL_RESOURCE_ATTRIBUTES"], run) }
}

function withRun(attributes: string | undefined, run: string): string {
  if (!attributes) return `${RUN_ATTRIBUTE}=${run}`
  return attributes.includes(`${RUN_ATTRIBUTE}=`) ? attributes : `${attributes},${RUN_ATTRIBUTE}=${run}`
}
