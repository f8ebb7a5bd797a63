import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import type createNext from "next"

/** Next's own server, in this process. */
export interface Screens {
  readonly listener: RequestListener
  close(): Promise<void>
}

/** Prepares the built app in the directory, with the Next that is installed there; `register()` of `instrumentation.ts` runs in it. */
export async function openScreens(directory: string, hostname: string, port: number): Promise<Screens> {
  useBuiltConfiguration(directory)
  // Loaded late: the doors are open before it.
  const next = createRequire(join(directory, "package.json"))("next") as typeof createNext
  // Next adds an `upgrade` listener to the server that it is told of, else to the one that a request came by, past all
  // guards. It is told of one that never listens: a build has nothing that upgrades.
  const app = next({ dev: false, dir: directory, hostname, port, httpServer: createServer() })
  await app.prepare()
  const handle = app.getRequestHandler()
  return { listener: (request, response) => void handle(request, response), close: () => app.close() }
}

/** A built app is served as it was built, without its `next.config.ts` and a compiler for that; Next's standalone server does the same. */
function useBuiltConfiguration(directory: string): void {
  const text = readFileSync(join(directory, ".next/required-server-files.json"), "utf8")
  const { config } = JSON.parse(text) as { config: unknown }
  process.env["__NEXT_PRIVATE_STANDALONE_CONFIG"] = JSON.stringify(config)
}
