import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import type createNext from "next"

/** What else takes a body beside the handlers: the tunnel, and what answers below `/api/`. Screens are only read. */
const MAY_WRITE = /^\/(?:monitoring$|api\/)/
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"])

const HEADERS = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }

/**
 * The answer to a request that no screen could be meant by; `undefined` where it may pass. To a path that is no UTF-8
 * Next would answer 500, as if something of ours had failed. A body that is sent to a screen would be looked at for a
 * Server Action, of which there are none: it is not read at all.
 */
export function refuseForScreens(path: string, method = "GET"): Response | undefined {
  if (!isReadable(path)) return plainPage(400, "This address cannot be read", "It may have been cut or mistyped.")
  if (READING.has(method) || MAY_WRITE.test(path)) return undefined
  return plainPage(405, "This page can only be read", "Only GET and HEAD are served here.", { allow: "GET, HEAD" })
}

function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function plainPage(status: number, title: string, text: string, headers: Readonly<Record<string, string>> = {}) {
  const page = `<!doctype html><html lang="en"><title>${title} · Pagespan</title><h1>${title}</h1><p>${text} <a href="/">What is happening now</a></p></html>`
  return new Response(page, { status, headers: { ...HEADERS, ...headers } })
}

/** Next's own server, in this process. */
export interface Screens {
  readonly listener: RequestListener
  close(): Promise<void>
}

/** Prepares the built app in the directory, with the Next that is installed there; `register()` of `instrumentation.ts` runs in it. */
export async function openScreens(directory: string, hostname: string, port: number): Promise<Screens> {
  useBuiltConfiguration(directory)
  // Loaded late: the handlers are open before it.
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
