import type { RequestTracing } from "./requests/traced-request.ts"
import type { RouteCommit } from "./roots/route-name.ts"

// The state of the page, on the global object: two copies of the tracer in one page (a second bundle, a hot reload) share it.

/** What the page's tracer offers to the rest of the page. Nothing of it throws. */
export interface Page {
  /** The router shows a route. `RouteObserver` calls it after each commit. */
  committed(commit: RouteCommit): void
  /** Reports an error that a boundary caught: global handlers do not see it. */
  reportError(error: unknown): void
  currentTraceId(): string | undefined
  transitionStarted(url: string, type: string): void
  grantConsent(): void
  withdrawConsent(): void
}

/** Creates the app's instrumentations when tracing starts. Returns a function that disables them. */
export type InstallInstrumentations = (tracing: RequestTracing) => () => void

const PAGE = Symbol.for("pagespan.page")
const INSTRUMENTATIONS = Symbol.for("pagespan.instrumentations")
const globals = globalThis as { [PAGE]?: Page; [INSTRUMENTATIONS]?: InstallInstrumentations }

export function currentPage(): Page | undefined {
  return globals[PAGE]
}

export function setCurrentPage(page: Page): void {
  globals[PAGE] = page
}

export const installInstrumentations: InstallInstrumentations = (tracing) =>
  globals[INSTRUMENTATIONS]?.(tracing) ?? (() => undefined)

export function hasInstrumentations(): boolean {
  return globals[INSTRUMENTATIONS] !== undefined
}

export function setInstallInstrumentations(install: InstallInstrumentations): void {
  globals[INSTRUMENTATIONS] = install
}
