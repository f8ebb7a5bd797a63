import { realpathSync } from "node:fs"
import { join } from "node:path"
import { installedPackage } from "./installed-package.ts"

export const API = "@opentelemetry/api"
/** Packages that use OpenTelemetry's API in an app that Pagespan traces. */
const USERS = ["pagespan", "@sentry/nextjs", "@sentry/opentelemetry", "@vercel/otel", "@opentelemetry/sdk-node"]

/**
 * The copies of OpenTelemetry's API in an app: each has a tracer of its own, and spans of one are not in the traces of another.
 *
 * @returns their folders, each with a package that uses it.
 */
export function apiCopies(directory: string): ReadonlyMap<string, string> {
  const manifest = join(directory, "package.json")
  const copies = new Map<string, string>()
  for (const name of USERS) {
    const user = packageFolder(manifest, name)
    const api = user && packageFolder(join(user, "package.json"), API)
    if (api !== undefined && !copies.has(api)) copies.set(api, name)
  }
  const own = packageFolder(manifest, API)
  if (own !== undefined && !copies.has(own)) copies.set(own, "your app")
  return copies
}

/** The real folder of a package as a file sees it. `undefined` if it is not installed. */
function packageFolder(from: string, name: string): string | undefined {
  const found = installedPackage(from, name)
  return found === undefined ? undefined : realpathSync(found)
}
