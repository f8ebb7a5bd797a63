import { existsSync, readdirSync } from "node:fs"
import { join, sep } from "node:path"

const DEFAULT_PAGE_EXTENSIONS = ["tsx", "ts", "jsx", "js"] as const
const INTERCEPTION_MARKER = /^\(\.{1,3}\)/
/** Files of the `pages` folder that Next renders for other addresses than their own. */
const SPECIAL_PAGES: ReadonlySet<string> = new Set(["/_app", "/_document", "/_error", "/404", "/500"])

/**
 * Lists the patterns of all pages, or of all route handlers, under Next's `app` and `pages` folders, in Next's bracket form
 * (`/traces/[traceId]`), sorted. A pattern has no groups and slots, which do not appear in a URL. Intercepting folders repeat a
 * page that has a pattern of its own, and private folders (`_name`) are no routes. In `pages` each file is a page, and each
 * file below `pages/api` a route handler.
 *
 * @param projectDirectory holds `app` or `src/app`, and `pages` or `src/pages`. Without any of them the list is empty.
 * @see https://nextjs.org/docs/app/getting-started/project-structure
 */
export function scanRoutes(
  projectDirectory: string,
  file: "page" | "route",
  pageExtensions: readonly string[] = DEFAULT_PAGE_EXTENSIONS,
): string[] {
  const patterns = new Set<string>()
  const app = routerDirectory(projectDirectory, "app")
  const files = new Set(pageExtensions.map((extension) => `${file}.${extension}`))
  if (app !== undefined) collect(app, [], files, patterns)
  const pages = routerDirectory(projectDirectory, "pages")
  if (pages !== undefined)
    for (const pattern of pagePatterns(pages, pageExtensions))
      if ((file === "route") === /^\/api(?:\/|$)/.test(pattern)) patterns.add(pattern)
  return [...patterns].sort()
}

/** Whether a route handler exists for exactly this path, like `/monitoring`. */
export function hasRouteHandler(
  projectDirectory: string,
  path: string,
  pageExtensions: readonly string[] = DEFAULT_PAGE_EXTENSIONS,
): boolean {
  const app = routerDirectory(projectDirectory, "app")
  if (app === undefined) return false
  return pageExtensions.some((extension) => existsSync(join(app, path, `route.${extension}`)))
}

/** Whether the app has a `pages` folder, whose router differs from that of `app`. */
export function hasPagesFolder(projectDirectory: string): boolean {
  return routerDirectory(projectDirectory, "pages") !== undefined
}

function routerDirectory(projectDirectory: string, name: "app" | "pages"): string | undefined {
  return [join(projectDirectory, name), join(projectDirectory, "src", name)].find((path) => existsSync(path))
}

/** The patterns of a `pages` folder, pages and route handlers alike. */
function pagePatterns(directory: string, pageExtensions: readonly string[]): string[] {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((path) => path.split(sep).join("/"))
  return files.flatMap((path) => {
    const extension = pageExtensions.find((each) => path.endsWith(`.${each}`))
    if (extension === undefined || path.endsWith(".d.ts")) return []
    const pattern = `/${path.slice(0, -extension.length - 1)}`.replace(/\/index$/, "") || "/"
    return SPECIAL_PAGES.has(pattern) ? [] : [pattern]
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
