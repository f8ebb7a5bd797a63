import { type Dirent, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Folders that hold an app's own sources, by convention. */
const SOURCE_FOLDERS = ["app", "src", "components", "lib", "hooks", "utils", "features", "modules", "shared", "ui"]
const SCRIPT = /\.[cm]?[jt]sx?$/
/** Files that never run in a page, or are no part of the app. */
const NOT_IN_PAGES =
  /^(?:instrumentation|middleware|proxy|route|sentry\.server\.config|sentry\.edge\.config)\.|\.(?:d|test|spec|stories)\.[cm]?[jt]sx?$/
/** Packages that pages use by themselves, as an import names them. */
const PACKAGES = {
  sentry: /["']@sentry\/(?:nextjs|browser|react)["']/,
  opentelemetry: /["']@opentelemetry\/api["']/,
}
const ON_SERVER_ONLY = /["'](?:use server|server-only)["']/
/** Past it a build would notice the search. */
const FILE_LIMIT = 5_000

/**
 * Whether a file of the app that runs in pages imports Sentry's SDK or OpenTelemetry's API: `instrumentation-client`, a file
 * marked `use client`, or one outside `app`, which pages may import.
 */
export function isUsedInPages(name: keyof typeof PACKAGES, directory: string): boolean {
  const search: Search = { pattern: PACKAGES[name], left: FILE_LIMIT }
  const root = entriesOf(directory).filter((entry) => entry.isFile())
  return (
    root.some((entry) => isClientFile(directory, entry.name, true, search)) ||
    SOURCE_FOLDERS.some((folder) => isUsedBelow(join(directory, folder), folder === "app", search))
  )
}

interface Search {
  readonly pattern: RegExp
  /** Files that may still be read. */
  left: number
}

function isUsedBelow(directory: string, isApp: boolean, search: Search): boolean {
  return entriesOf(directory).some((entry) => {
    if (entry.isDirectory()) {
      const isHidden = entry.name.startsWith(".") || entry.name === "node_modules" || entry.name.startsWith("__")
      return !isHidden && isUsedBelow(join(directory, entry.name), isApp || entry.name === "app", search)
    }
    return search.left-- > 0 && isClientFile(directory, entry.name, !isApp, search)
  })
}

/** @param isUnmarked whether a file without `use client` counts. */
function isClientFile(directory: string, name: string, isUnmarked: boolean, { pattern }: Search): boolean {
  if (!SCRIPT.test(name) || NOT_IN_PAGES.test(name)) return false
  const text = readFileSync(join(directory, name), "utf8")
  if (!pattern.test(text) || ON_SERVER_ONLY.test(text)) return false
  return isUnmarked || /["']use client["']/.test(text)
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    // The app has no such folder.
    return []
  }
}
