import type { Argv } from "yargs"
import { isInspector, localUrl } from "../../protocol/transport/inspector-address.ts"
import { END_SIGNALS } from "../end-signals.ts"
import { CommandError, EXIT } from "../exit.ts"
import { reportingEnvironment, runName, runReporting, warnOfOtherEndpoint } from "../reporting-program.ts"
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

/**
 * `pagespan run -- <command>`: starts the program when the inspector listens, since Sentry's SDKs stop sending after a
 * few refused connections. The program's environment names the inspector; its signals and exit code pass through.
 */
async function runProgram({ command, port, data, name, keep }: RunOptions): Promise<number> {
  const [program, ...parameters] = command
  if (program === undefined)
    throw new CommandError("run needs a command, like: pagespan run -- npm run dev", EXIT.usage)
  const run = runName(name)
  const inherited = { ...process.env }
  applyToEnvironment({ port, data })
  const inspector = await findOrStartInspector()
  console.error(`pagespan: ${inspector.url}/traces?q=${encodeURIComponent(`run:${run}`)}`)
  warnOfOtherEndpoint(inherited, inspector.url)
  const env = { ...inherited, ...reportingEnvironment(inherited, inspector.url, run) }
  const code = await runReporting(program, parameters, env)
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

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of END_SIGNALS) process.once(signal, () => resolve())
  })
}
