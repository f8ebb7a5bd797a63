import { epochTime } from "../clock.ts"
import type { Clock } from "./page-root.ts"
import { type PageRoots, withoutSlash } from "./page-roots.ts"
import type { RouteCommit } from "./route-name.ts"

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

/** A history event this old belongs to something else. */
const RECENT_MS = 1_000

/** The part of the Navigation API that is used; Firefox got it in 147, Safari in 26.2. */
interface NavigationApi extends EventTarget {
  readonly currentEntry: object | null
}

/** When the visitor last did something, and when the browser's history last moved. Listens only. */
export class UserActivity {
  readonly #clock: Clock
  #lastInputAt = -Infinity
  #movedAt = -Infinity
  #move = "push"

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    const options = { signal, capture: true, passive: true }
    const input = (event: Event) => (this.#lastInputAt = atOf(event))
    window.addEventListener("click", input, options)
    window.addEventListener("keydown", input, options)
    window.addEventListener("popstate", (event) => this.#moved("traverse", atOf(event)), options)
    const { navigation } = window as { navigation?: NavigationApi }
    navigation?.addEventListener?.(
      "currententrychange",
      (event) => this.#moved((event as { navigationType?: string | null }).navigationType ?? "replace", atOf(event)),
      { signal },
    )
  }

  /** Milliseconds since the epoch. */
  get lastInputAt(): number {
    return this.#lastInputAt
  }

  /** When the history moved, if just now; else now. */
  historyMovedAt(): number {
    const now = this.#clock.now()
    return now - this.#movedAt < RECENT_MS ? this.#movedAt : now
  }

  /** How the history moved last: `push`, `replace` or `traverse`. */
  historyMove(): string {
    return this.#move
  }

  #moved(how: string, at: number): void {
    this.#movedAt = at
    this.#move = how
  }
}

function atOf(event: Event): number {
  return epochTime(event.timeStamp)
}
