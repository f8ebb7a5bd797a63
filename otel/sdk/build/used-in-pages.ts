import { type Dirent, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Folders that hold an app's own sources, by convention. */
const SOURCE_FOLDERS = ["app", "src", "components", "lib", "hooks", "utils", "features", "modules", "shared", "ui"]
/** Folders of a project that hold no source of a page. */
const NO_SOURCES = /^(?:public|static|out|dist|build|coverage|docs|e2e|cypress|tests?)$/
/** Folders, on any level, that hold no source of the app. */
const HIDDEN = /^(?:\.|__|node_modules$)/
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
/** Folders and scripts. Past it a build would notice the search. */
const READ_LIMIT = 5_000

/**
 * Whether a file of the app that runs in pages imports Sentry's SDK or OpenTelemetry's API: `instrumentation-client`, a file
 * marked `use client`, or one outside `app`, which pages may import. In a folder that no convention names (`services`), only a
 * marked file counts: the folder may be the server's.
 */
export function isUsedInPages(name: keyof typeof PACKAGES, directory: string): boolean {
  const search: Search = { pattern: PACKAGES[name], left: READ_LIMIT }
  const entries = entriesOf(directory)
  const others = entries.filter((entry) => entry.isDirectory() && isOtherFolder(entry.name))
  return (
    entries.some((entry) => entry.isFile() && isClientFile(directory, entry.name, true, search)) ||
    SOURCE_FOLDERS.some((folder) => isUsedBelow(join(directory, folder), folder === "app", search)) ||
    others.some((folder) => isUsedBelow(join(directory, folder.name), true, search))
  )
}

/** Whether it may hold sources of the app, though convention does not say so. */
function isOtherFolder(name: string): boolean {
  return !SOURCE_FOLDERS.includes(name) && !NO_SOURCES.test(name) && !HIDDEN.test(name)
}

interface Search {
  readonly pattern: RegExp
  /** Folders and scripts that may still be read. */
  left: number
}

/** @param isMarked whether only files with `use client` count, as below `app`. */
function isUsedBelow(directory: string, isMarked: boolean, search: Search): boolean {
  if (search.left-- <= 0) return false
  return entriesOf(directory).some((entry) => {
    const { name } = entry
    if (!entry.isDirectory()) return isClientFile(directory, name, !isMarked, search)
    return !HIDDEN.test(name) && isUsedBelow(join(directory, name), isMarked || name === "app", search)
  })
}

/** @param isUnmarked whether a file without `use client` counts. */
function isClientFile(directory: string, name: string, isUnmarked: boolean, search: Search): boolean {
  if (!SCRIPT.test(name) || NOT_IN_PAGES.test(name) || search.left-- <= 0) return false
  const text = textOf(join(directory, name))
  if (!search.pattern.test(text) || ON_SERVER_ONLY.test(text)) return false
  return isUnmarked || /["']use client["']/.test(text)
}

/** Empty for what cannot be read, such as the dangling link by which an editor locks a file. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    // The app has no such folder.
    return []
  }
}
