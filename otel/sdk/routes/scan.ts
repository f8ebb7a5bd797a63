import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

const DEFAULT_PAGE_EXTENSIONS = ["tsx", "ts", "jsx", "js"] as const
const INTERCEPTION_MARKER = /^\(\.{1,3}\)/

/**
 * Lists the patterns of all pages, or of all route handlers, under Next's `app` folder, in Next's bracket form
 * (`/traces/[traceId]`), sorted. A pattern has no groups and slots, which do not appear in a URL. Intercepting folders repeat a
 * page that has a pattern of its own, and private folders (`_name`) are no routes.
 *
 * @param projectDirectory holds `app` or `src/app`. Without either the list is empty.
 * @see https://nextjs.org/docs/app/getting-started/project-structure
 */
export function scanRoutes(
  projectDirectory: string,
  file: "page" | "route",
  pageExtensions: readonly string[] = DEFAULT_PAGE_EXTENSIONS,
): string[] {
  const app = appDirectory(projectDirectory)
  if (app === undefined) return []
  const patterns = new Set<string>()
  collect(app, [], new Set(pageExtensions.map((extension) => `${file}.${extension}`)), patterns)
  return [...patterns].sort()
}

/** Whether a route handler exists for exactly this path, like `/monitoring`. */
export function hasRouteHandler(
  projectDirectory: string,
  path: string,
  pageExtensions: readonly string[] = DEFAULT_PAGE_EXTENSIONS,
): boolean {
  const app = appDirectory(projectDirectory)
  if (app === undefined) return false
  return pageExtensions.some((extension) => existsSync(join(app, path, `route.${extension}`)))
}

function appDirectory(projectDirectory: string): string | undefined {
  return [join(projectDirectory, "app"), join(projectDirectory, "src", "app")].find((path) => existsSync(path))
}

function collect(directory: string, segments: readonly string[], files: ReadonlySet<string>, into: Set<string>): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile() && files.has(entry.name)) into.add(`/${segments.join("/")}`)
    if (!entry.isDirectory() || entry.name.startsWith("_") || INTERCEPTION_MARKER.test(entry.name)) continue
    collect(join(directory, entry.name), isInvisible(entry.name) ? segments : [...segments, entry.name], files, into)
  }
}

function isInvisible(folder: string): boolean {
  return folder.startsWith("@") || (folder.startsWith("(") && folder.endsWith(")"))
}
