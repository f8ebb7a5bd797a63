import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

const DEFAULT_PAGE_EXTENSIONS = ["tsx", "ts", "jsx", "js"] as const
const INTERCEPTION_MARKER = /^\(\.{1,3}\)/

/**
 * Lists the patterns of all pages, or of all route handlers, under Next's `app` folder, in Next's bracket form
 * (`/traces/[traceId]`), sorted. A pattern has no groups and slots, which do not appear in a URL. Intercepting folders repeat a
 * page that has a pattern of its own, and private folders (`_name`) are no routes. An app may have a `pages` folder as well, of
 * the router before `app`, whose routes are listed too.
 *
 * @param projectDirectory holds `app` or `src/app`, `pages` or `src/pages`. Without any the list is empty.
 * @see https://nextjs.org/docs/app/getting-started/project-structure
 */
export function scanRoutes(
  projectDirectory: string,
  file: "page" | "route",
  pageExtensions: readonly string[] = DEFAULT_PAGE_EXTENSIONS,
): string[] {
  const patterns = new Set<string>()
  const app = folderOf(projectDirectory, "app")
  if (app !== undefined) collect(app, [], new Set(pageExtensions.map((extension) => `${file}.${extension}`)), patterns)
  const pages = folderOf(projectDirectory, "pages")
  if (pages !== undefined)
    for (const path of pagesBelow(pages, "", pageExtensions))
      if (/^\/api(?:\/|$)/.test(path) === (file === "route")) patterns.add(path)
  return [...patterns].sort()
}

/** Whether a route handler exists for exactly this path, like `/monitoring`. */
export function hasRouteHandler(
  projectDirectory: string,
  path: string,
  pageExtensions: readonly string[] = DEFAULT_PAGE_EXTENSIONS,
): boolean {
  const app = folderOf(projectDirectory, "app")
  if (app === undefined) return false
  return pageExtensions.some((extension) => existsSync(join(app, path, `route.${extension}`)))
}

function folderOf(projectDirectory: string, name: "app" | "pages"): string | undefined {
  return [join(projectDirectory, name), join(projectDirectory, "src", name)].find((path) => existsSync(path))
}

/** Files of `pages` that are no routes of their own. */
const SPECIAL_PAGES = new Set(["/_app", "/_document", "/_error", "/404", "/500"])

/** The patterns of a `pages` folder, in which each file is a route. */
function pagesBelow(directory: string, prefix: string, pageExtensions: readonly string[]): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return pagesBelow(join(directory, entry.name), `${prefix}/${entry.name}`, pageExtensions)
    const extension = pageExtensions.find((each) => entry.name.endsWith(`.${each}`))
    if (extension === undefined || !entry.isFile()) return []
    const path = `${prefix}/${entry.name.slice(0, -extension.length - 1)}`
    return SPECIAL_PAGES.has(path) ? [] : [path.replace(/\/index$/, "") || "/"]
  })
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
