import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import {
  handlerErrorsProblem,
  PAGE_ENTRY,
  PAGE_EXPORT,
  pageStart,
  SENTRY_ENTRY,
  TRANSITION_HOOK,
} from "../../protocol/next-versions.ts"
import { installedNext } from "./installed-next.ts"

const CLIENT_FILES = ["", "src/"].flatMap((base) =>
  ["ts", "tsx", "js", "jsx", "mts", "mjs", "cjs"].map((extension) => `${base}instrumentation-client.${extension}`),
)

/** The modules that pages run before hydration, in order. Next injects them, or the app imports them. */
export interface PageModules {
  /** The app's own, if any. */
  readonly pageModule: string | undefined
  readonly isSentryInPages: boolean
}

/**
 * The modules for `instrumentationClientInject`.
 *
 * @returns `undefined` for a version of Next that does not know this setting, and would say so in each build.
 */
export function injectedModules(directory: string, { pageModule, isSentryInPages }: PageModules): string[] | undefined {
  if (pageStart(installedNext(directory)) !== "injected") return undefined
  return [...(pageModule === undefined ? [] : [pageModule]), ...(isSentryInPages ? [SENTRY_ENTRY] : []), PAGE_ENTRY]
}

/**
 * Warnings for an app whose version of Next injects nothing into pages, while its `instrumentation-client` does not import what is
 * missing; and for a version that is not supported, or only in part.
 *
 * @returns none if the version is unknown.
 */
export function nextProblems(directory: string, modules: PageModules): string[] {
  const version = installedNext(directory)
  return [pagesProblem(directory, version, modules), handlerErrorsProblem(version)].filter((each) => each !== undefined)
}

/** `undefined` if the pages are traced. */
function pagesProblem(directory: string, version: string, modules: PageModules): string | undefined {
  const start = pageStart(version)
  if (start === "injected") return undefined
  const next = `Next ${version}`
  if (start === "unsupported") return `${next} is not supported: pages are traced with Next 15.3 or later`
  const missing = missingLines(clientFile(directory), modules)
  if (missing.length === 0) return undefined
  return `${next} does not inject the page's tracer, unlike 16.3: add to instrumentation-client: ${missing.join("; ")}`
}

function missingLines(text: string, { pageModule, isSentryInPages }: PageModules): string[] {
  const isStarted = text.includes(PAGE_ENTRY) && text.includes(TRANSITION_HOOK)
  // An import may leave out the extension, or use an alias.
  const name = basename(pageModule ?? "").replace(/\.[cm]?[jt]sx?$/, "")
  return [
    ...(pageModule === undefined || text.includes(name) ? [] : [`import "${pageModule}"`]),
    ...(!isSentryInPages || text.includes(SENTRY_ENTRY) ? [] : [`import "${SENTRY_ENTRY}"`]),
    ...(isStarted ? [] : [PAGE_EXPORT]),
  ]
}

function clientFile(directory: string): string {
  for (const name of CLIENT_FILES)
    try {
      return readFileSync(join(directory, name), "utf8")
    } catch {
      // The next one. What Next itself cannot read fails the build.
    }
  return ""
}
