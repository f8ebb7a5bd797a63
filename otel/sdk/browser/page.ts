import type { RouteCommit } from "./roots/route-name.ts"

/** What the page's tracer offers to the rest of the page. */
export interface Page {
  /** The router shows a route: `RouteObserver` says so after each commit. */
  committed(commit: RouteCommit): void
  /** An error that a boundary caught, which no global handler sees. */
  reportError(error: unknown): void
  currentTraceId(): string | undefined
  transitionStarted(url: string, type: string): void
  grantConsent(): void
  withdrawConsent(): void
}

const KEY = Symbol.for("pagespan.page")
type Holder = { [KEY]?: Page }

/** On the global object: two copies of the tracer in one page (a second bundle, a hot reload) must find each other. */
export function currentPage(): Page | undefined {
  return (globalThis as Holder)[KEY]
}

export function setCurrentPage(page: Page): void {
  ;(globalThis as Holder)[KEY] = page
}
