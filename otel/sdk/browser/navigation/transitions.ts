import type { Clock } from "../roots/idle-rule.ts"
import { type PageRoots, withoutSlash } from "../roots/page-roots.ts"
import type { RouteCommit } from "../roots/route-choice.ts"
import type { UserActivity } from "./user-activity.ts"

/**
 * A `replace` this soon after a page was shown, or before it is, without the visitor doing anything, is a redirect. Counted
 * from when it is shown: how long the server took says nothing about who sent the visitor on.
 */
const REDIRECT_WINDOW_MS = 1_000

interface TransitionsOptions {
  readonly roots: PageRoots
  readonly acts: UserActivity
  readonly clock: Clock
  readonly basePath: string
}

/**
 * Turns what Next's router tells (its start hook, its commits) into navigation roots. A change of query or fragment,
 * and a shallow `history.pushState`, show the same page and are none; a second click on the way to the same page is
 * the same navigation.
 */
export class Transitions {
  readonly #options: TransitionsOptions
  #beganAt = -Infinity
  #shownAt = -Infinity

  constructor(options: TransitionsOptions) {
    this.#options = options
  }

  /** @param href a path without the base path for a push, an absolute URL with it for a traversal. */
  started(href: string, type: string): void {
    const { roots, basePath, clock } = this.#options
    const url = new URL(withBasePath(href, basePath), window.location.href)
    if (url.origin !== window.location.origin) return
    const path = url.pathname
    if (samePath(path, type === "traverse" || roots.isUnderWay ? roots.destination : window.location.pathname)) return
    if (type === "replace" && this.#isRedirect()) return roots.redirect(path)
    this.#begin(path, type, type === "traverse" ? this.#options.acts.historyMovedAt() : clock.now())
  }

  committed(commit: RouteCommit, at: number): void {
    const { roots, acts, basePath } = this.#options
    const { shown } = roots
    const isUntold = shown !== undefined && !roots.isUnderWay && shown.segments.join("/") !== commit.segments.join("/")
    // Next calls no start hook for the `redirect()` of a server action.
    if (isUntold || roots.isUnderWay) this.#shownAt = at
    if (isUntold) this.#begin(`${basePath}${commit.pathname}`, acts.historyMove(), acts.historyMovedAt())
    roots.committed(commit, at)
  }

  /** The browser shows the page again as it was left. */
  restored(at: number): void {
    const { roots } = this.#options
    const { shown } = roots
    this.#begin(window.location.pathname, "bfcache", at)
    if (shown !== undefined) roots.committed(shown, this.#options.clock.now())
  }

  #begin(path: string, type: string, startedAt: number): void {
    this.#beganAt = startedAt
    this.#options.roots.beginNavigation({ path, type, startedAt })
  }

  #isRedirect(): boolean {
    const { roots, acts, clock } = this.#options
    const isSoon = roots.isUnderWay || clock.now() - this.#shownAt < REDIRECT_WINDOW_MS
    return isSoon && roots.isNavigating && acts.lastInputAt < this.#beganAt
  }
}

function samePath(a: string, b: string | undefined): boolean {
  return b !== undefined && withoutSlash(a) === withoutSlash(b)
}

/** Next gives a pushed path without the base path, and a traversed one as an absolute URL with it. */
function withBasePath(href: string, basePath: string): string {
  return basePath !== "" && href.startsWith("/") ? `${basePath}${href}` : href
}
