import { existsSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"

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
  if (app !== undefined) collect(app, files, patterns)
  const pages = routerDirectory(projectDirectory, "pages")
  if (pages !== undefined)
    for (const pattern of pagePatterns(pages, pageExtensions))
      if ((file === "route") === /^\/api(?:\/|$)/.test(pattern)) patterns.add(pattern)
  return [...patterns].sort()
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
  return [...filesBelow(directory)].flatMap((path) => {
    const extension = pageExtensions.find((each) => path.endsWith(`.${each}`))
    if (extension === undefined || path.endsWith(".d.ts")) return []
    const pattern = `/${path.slice(0, -extension.length - 1)}`.replace(/\/index$/, "") || "/"
    return SPECIAL_PAGES.has(pattern) ? [] : [pattern]
  })
}

function collect(directory: string, files: ReadonlySet<string>, into: Set<string>): void {
  for (const path of filesBelow(directory)) {
    const segments = path.split("/")
    if (!files.has(segments.pop() ?? "")) continue
    if (segments.some((segment) => segment.startsWith("_") || INTERCEPTION_MARKER.test(segment))) continue
    into.add(`/${segments.filter((segment) => !isInvisible(segment)).join("/")}`)
  }
}

/**
 * The files below a folder, with `/` between names. Links are followed, as by Next, but not from a folder into one around it.
 *
 * @param around real paths of the folder and those around it.
 */
function* filesBelow(directory: string, around: readonly string[] = [realpathSync(directory)]): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    const found = entry.isSymbolicLink() ? targetOf(path) : entry
    if (found?.isFile()) yield entry.name
    if (!found?.isDirectory()) continue
    const real = realpathSync(path)
    if (around.includes(real)) continue
    for (const file of filesBelow(path, [...around, real])) yield `${entry.name}/${file}`
  }
}

/** `undefined` for a link that leads nowhere, or to itself. */
function targetOf(link: string): Stats | undefined {
  try {
    return statSync(link)
  } catch {
    return undefined
  }
}

function isInvisible(folder: string): boolean {
  return folder.startsWith("@") || (folder.startsWith("(") && folder.endsWith(")"))
}
