import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import type createNext from "next"

/** Next's server in this process, which renders the screens. */
export interface Screens {
  readonly listener: RequestListener
  close(): Promise<void>
}

/** Prepares the built app in the directory with the Next that is installed there, and runs `register()` of its instrumentation. */
export async function openScreens(directory: string, hostname: string, port: number): Promise<Screens> {
  useBuiltConfiguration(directory)
  surviveClosedOutput()
  // Next is loaded late, so that the ingest endpoints answer first.
  const require = createRequire(join(directory, "package.json"))
  const next = require("next") as typeof createNext
  await loadConfigurationSilently(require, directory)
  // Next adds an `upgrade` listener, which bypasses every guard, to `httpServer`, or else to the server of the first
  // request. A server that never listens gets it: no screen uses WebSockets.
  const app = next({ dev: false, dir: directory, hostname, port, httpServer: createServer() })
  await app.prepare()
  const handle = app.getRequestHandler()
  return { listener: (request, response) => void handle(request, response), close: () => app.close() }
}

/**
 * A pipe or a terminal can close before the inspector ends. Next prints each error that nothing caught: also that of printing to
 * it, which fails again, without end.
 */
function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

type LoadConfiguration = (phase: string, directory: string, options: { readonly silent: boolean }) => Promise<unknown>

/**
 * Next takes the configuration from its cache then. It would print that it ran a `next.config`, which it did not, with the time. The
 * module is internal: with a Next that does not have it, the line is printed.
 */
async function loadConfigurationSilently(require: NodeJS.Require, directory: string): Promise<void> {
  try {
    const { default: load } = require("next/dist/server/config") as { default: LoadConfiguration }
    await load("phase-production-server", directory, { silent: true })
  } catch {
    // Next loads it itself, and reports what is wrong.
  }
}

/** Serves the app with the configuration of its build, without `next.config.ts` (docs/decisions/0011). */
function useBuiltConfiguration(directory: string): void {
  const text = readFileSync(join(directory, ".next/required-server-files.json"), "utf8")
  const { config } = JSON.parse(text) as { config: unknown }
  process.env["__NEXT_PRIVATE_STANDALONE_CONFIG"] = JSON.stringify(config)
}
