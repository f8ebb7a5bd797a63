import type { Argv } from "yargs"
import { isInspector, localUrl } from "../../protocol/transport/inspector-address.ts"
import { openOnDesktop } from "../terminal.ts"

export function startCommand(parser: Argv): Argv {
  return parser.command(
    "$0",
    "Start the inspector: OTLP on ports 4318 and 4317, Spotlight on 8969, screens on 4318",
    (command) =>
      command
        .option("port", { type: "number", describe: "Port of screens, OTLP/HTTP and Sentry envelopes (PORT)" })
        .option("host", {
          type: "string",
          describe: "Address to listen on; any but loopback requires PAGESPAN_TOKEN (HOST)",
        })
        .option("data", { type: "string", describe: "Data directory (PAGESPAN_DATA)" })
        .option("open", { type: "boolean", default: true, describe: "Open a browser, on a desktop" })
        .example("$0", "The inspector on http://localhost:4318")
        .example("$0 --no-open --data /tmp/spans", "Without a browser, with another data directory"),
    (options) => start(options),
  )
}

interface StartOptions {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly data?: string | undefined
  readonly open: boolean
}

/** `pagespan`: runs the inspector until Ctrl-C. If one is running on the port already, shows that one. */
async function start(options: StartOptions): Promise<void> {
  applyToEnvironment(options)
  const { findInstallPaths } = await import("../server/install-paths.ts")
  const { announce, startInspector, stopOnSignal } = await import("../server/start-inspector.ts")
  const started = await startInspector(findInstallPaths()).catch(runningInstead)
  if (typeof started === "string") {
    console.log(`Pagespan is already on ${started}`)
    if (options.open) await openOnDesktop(started)
    return
  }
  stopOnSignal(() => started.stop())
  await announce(started)
  if (options.open) await openOnDesktop(started.url)
}

/** Something listens on the port. If it is an inspector, it may be busy. */
const BUSY_TIMEOUT_MS = 5_000

/** The address of the inspector that is already running. Throws the error of the start if there is none. */
async function runningInstead(error: unknown): Promise<string> {
  const { StartError } = await import("../server/start-error.ts")
  const url = localUrl()
  if (!(error instanceof StartError) || !(await isInspector(url, BUSY_TIMEOUT_MS))) throw error
  return url
}

/** Options of the command line override the environment. */
export function applyToEnvironment({ port, host, data }: Partial<StartOptions>): void {
  if (port !== undefined) process.env["PORT"] = String(port)
  if (host !== undefined) process.env["HOST"] = host
  if (data !== undefined) process.env["PAGESPAN_DATA"] = data
}
