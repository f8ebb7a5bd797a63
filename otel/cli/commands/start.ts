import type { Argv } from "yargs"
import { openOnDesktop } from "../desktop.ts"
import { isInspector } from "../inspector-client.ts"
import { findInstallPaths } from "../server/install-paths.ts"
import { StartError } from "../server/start-error.ts"
import { announce, type StartedInspector, startInspector, stopOnSignal } from "../server/start-inspector.ts"

export function startCommand(parser: Argv): Argv {
  return parser.command(
    "$0",
    "Start the inspector: OTLP on 4318 and 4317, Spotlight on 8969, screens on 4318",
    (command) =>
      command
        .option("port", { type: "number", describe: "Port of screens, OTLP/HTTP and Sentry envelopes (PORT)" })
        .option("host", { type: "string", describe: "Address to listen on; not loopback: needs PAGESPAN_TOKEN (HOST)" })
        .option("data", { type: "string", describe: "Directory of the records (PAGESPAN_DATA)" })
        .option("open", { type: "boolean", default: true, describe: "Open a browser, on a desktop" })
        .example("$0", "The inspector on http://localhost:4318")
        .example("$0 --no-open --data /tmp/spans", "Without a browser, with its records elsewhere"),
    async (options) => {
      const { start } = await import("./start.ts")
      await start(options)
    },
  )
}

export interface StartOptions {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly data?: string | undefined
  readonly open: boolean
}

/** `pagespan`: the inspector, until Ctrl-C. Where one is running already, that one is shown. */
export async function start(options: StartOptions): Promise<void> {
  setEnvironment(options)
  let inspector: StartedInspector
  try {
    inspector = await startInspector(findInstallPaths())
  } catch (error) {
    const running = runningUrl()
    if (!(error instanceof StartError) || !(await isInspector(running))) throw error
    console.log(`Pagespan is on ${running} already`)
    if (options.open) await openOnDesktop(running)
    return
  }
  stopOnSignal(() => inspector.stop())
  await announce(inspector)
  if (options.open) await openOnDesktop(inspector.url)
}

/** What is given on the command line goes before the environment. */
export function setEnvironment({ port, host, data }: Pick<StartOptions, "port" | "host" | "data">): void {
  if (port !== undefined) process.env["PORT"] = String(port)
  if (host !== undefined) process.env["HOST"] = host
  if (data !== undefined) process.env["PAGESPAN_DATA"] = data
}

export function runningUrl(): string {
  return `http://localhost:${process.env["PORT"] || "4318"}`
}
