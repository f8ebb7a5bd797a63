import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { constants } from "node:os"
import type { Argv } from "yargs"
import { withInheritedUmask } from "../../protocol/private-files.ts"
import { isInspector, localUrl } from "../../protocol/transport/inspector-address.ts"
import { CommandError, EXIT } from "../exit.ts"
import { applyToEnvironment } from "./start.ts"

export function runCommand(parser: Argv): Argv {
  return parser.command(
    "run",
    "Run a program that reports to the inspector, which is started first if none is running",
    (command) =>
      command
        .usage("$0 run [options] -- <command>")
        .option("port", { type: "number", describe: "Port of the inspector (PORT)" })
        .option("data", { type: "string", describe: "Data directory (PAGESPAN_DATA)" })
        .option("name", { type: "string", describe: "Name of the run; the filter run:<name> finds it" })
        .option("keep", { type: "boolean", default: false, describe: "Keep the inspector running until Ctrl-C" })
        .example("$0 run -- npm run dev", "An app with an OpenTelemetry or Sentry SDK")
        .example("$0 run --name e2e -- npx playwright test", "Then: pagespan assert 'run:e2e status:error' --count 0"),
    async ({ "--": words = [], ...options }) => {
      process.exit(await runProgram({ ...options, command: words as string[] }))
    },
  )
}

interface RunOptions {
  readonly command: readonly string[]
  readonly port?: number | undefined
  readonly data?: string | undefined
  readonly name?: string | undefined
  readonly keep: boolean
}

interface RunningInspector {
  readonly url: string
  stop(): Promise<void>
}

/** The exit code that shells use for a program which cannot be found. */
const NOT_FOUND = 127
/** Shells add the number of the signal that ended the program. */
const SIGNALED = 128

/**
 * `pagespan run -- <command>`: starts the program when the inspector listens, since Sentry's SDKs stop sending after a
 * few refused connections. The program's environment names the inspector; its signals and exit code pass through.
 */
async function runProgram({ command, port, data, name, keep }: RunOptions): Promise<number> {
  const [program, ...parameters] = command
  if (program === undefined)
    throw new CommandError("run needs a command, like: pagespan run -- npm run dev", EXIT.usage)
  const inherited = { ...process.env }
  applyToEnvironment({ port, data })
  const inspector = await findOrStartInspector()
  const run = name ?? randomBytes(4).toString("hex")
  console.error(`pagespan: ${inspector.url}/traces?q=${encodeURIComponent(`run:${run}`)}`)
  const env = { ...inherited, ...reportingEnvironment(inherited, inspector.url, run) }
  const child = withInheritedUmask(() => spawn(program, parameters, { stdio: "inherit", env }))
  const code = await exitCodeOf(child, program)
  if (keep) await untilInterrupted()
  await inspector.stop()
  return code
}

/** The inspector that is running on the port, or a new one that stops after the program. */
async function findOrStartInspector(): Promise<RunningInspector> {
  const running = localUrl()
  if (await isInspector(running)) return { url: running, stop: async () => undefined }
  // Standard output belongs to the program: messages of Pagespan and Next go to standard error.
  console.log = console.error
  const { findInstallPaths } = await import("../server/install-paths.ts")
  const { StartError } = await import("../server/start-error.ts")
  const { startInspector } = await import("../server/start-inspector.ts")
  const inspector = await startInspector(findInstallPaths())
  inspector.shown.catch((error: unknown) => console.error(error instanceof StartError ? error.message : error))
  return inspector
}

async function exitCodeOf(child: ChildProcess, program: string): Promise<number> {
  // Ctrl-C reaches the whole process group: the program handles it, and Pagespan exits after the program.
  const forward = () => void child.kill("SIGTERM")
  process.on("SIGINT", ignore).on("SIGTERM", forward)
  try {
    return await new Promise<number>((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) => {
        console.error(`pagespan: ${program} cannot be run (${error.code})`)
        resolve(NOT_FOUND)
      })
      child.once("exit", (code, signal) => resolve(code ?? SIGNALED + (signal ? constants.signals[signal] : 0)))
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
 * The variables that point the OpenTelemetry or Sentry SDK of a program at the inspector. A variable that is set already
 * keeps its value. The resource attribute `pagespan.run` marks everything that the program sends.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @see https://spotlightjs.com/docs/setup/
 */
export function reportingEnvironment(inherited: Environment, url: string, run: string): Record<string, string> {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    SENTRY_SPOTLIGHT: `${url}/stream`,
    NEXT_PUBLIC_SENTRY_SPOTLIGHT: `${url}/stream`,
    SENTRY_TRACES_SAMPLE_RATE: "1.0",
  }
  const unset = Object.entries(variables).filter(([name]) => !inherited[name])
  return { ...Object.fromEntries(unset), OTEL_RESOURCE_ATTRIBUTES: withRun(inherited["OTEL_RESOURCE_ATTRIBUTES"], run) }
}

function withRun(attributes: string | undefined, run: string): string {
  if (!attributes) return `${RUN_ATTRIBUTE}=${run}`
  return attributes.includes(`${RUN_ATTRIBUTE}=`) ? attributes : `${attributes},${RUN_ATTRIBUTE}=${run}`
}
