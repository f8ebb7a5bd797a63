import { pageClock } from "../clock.ts"
import type { PageRoots } from "./page-roots.ts"
import { isSamePlace, isSameTree, type Place, type RouteCommit } from "./route-name.ts"
import type { ShallowEntries } from "./shallow-entries.ts"

/**
 * A `replace` without user input is a redirect before the page is shown, and this long after. The time counts from when the
 * page is shown: how long the server took says nothing about who navigated.
 */
const REDIRECT_WINDOW_MS = 1_000
/** An older history event belongs to another navigation. */
const RECENT_MS = 1_000

/**
 * Turns what Next's router reports (its start hook, its commits) into navigation roots. A change of the query by the router
 * is a navigation: the server renders for it. A change of the fragment and the app's own `history.pushState` and
 * `replaceState`, which the hook does not report, are none; nor is a traversal between entries of one page. A second click on
 * the way to the same page, or just after, belongs to the same navigation; a later one is a navigation to the page itself.
 */
export class Transitions {
  /** Set once the page is idle. */
  entries: ShallowEntries | undefined
  readonly #roots: PageRoots
  readonly #basePath: string
  /** How the history moved last: `push`, `replace` or `traverse`. */
  #historyMove = "push"
  // On the page's timeline.
  #movedAt = -Infinity
  #lastInputAt = -Infinity
  #beganAt = -Infinity
  /** In milliseconds since the epoch. */
  #shownAt = -Infinity

  constructor(roots: PageRoots, basePath: string, signal: AbortSignal) {
    this.#roots = roots
    this.#basePath = basePath
    this.#watchActivity(signal)
  }

  /** @param href a path without the base path for a push, an absolute URL with it for a traversal. */
  started(href: string, type: string): void {
    const roots = this.#roots
    const isTraversal = type === "traverse"
    const url = new URL(href.startsWith("/") ? `${this.#basePath}${href}` : href, window.location.href)
    if (url.origin !== window.location.origin) return
    // A navigation whose root has ended, such as one to a download, has no second click.
    const isOnTheWay = isTraversal || (roots.isUnderWay && roots.isNavigating)
    const isHere = isOnTheWay
      ? isSamePlace(url, roots.destination)
      : // The app may have written the address before it asks the router for it.
        isSamePlace(url, window.location) && isSamePlace(url, roots.arrivedAt ?? url)
    // For a link to the page itself the router asks the server again: not for one to a fragment, nor for a second click.
    if (isHere && (type !== "push" || this.#isSoon || url.hash || window.location.hash)) return
    if (isTraversal && this.entries?.isSamePage) return
    if (type === "replace" && this.#isRedirect()) return roots.redirect(url)
    this.#begin(url, type, isTraversal ? this.#historyMovedAt() : performance.now())
  }

  /** @param at in milliseconds since the epoch. */
  committed(commit: RouteCommit, at: number): void {
    const roots = this.#roots
    const { shown, isUnderWay } = roots
    // Next calls no start hook for the `redirect()` of a server action.
    const isUnannounced = shown && !isUnderWay && !isSameTree(shown, commit)
    if (isUnannounced || isUnderWay) this.#shownAt = at
    if (isUnannounced) this.#begin(commit, this.#historyMove, this.#historyMovedAt())
    // The clock may have been corrected with the navigation.
    if (roots.committed(commit, isUnannounced ? pageClock.now() : at)) this.entries?.arrived()
  }

  /** The browser has restored the page from the back/forward cache. @param at on the page's timeline. */
  restored(at: number): void {
    const { shown } = this.#roots
    this.#begin(window.location, "bfcache", at)
    if (shown) this.#roots.committed(shown, pageClock.now())
  }

  /** @param at on the page's timeline. */
  #begin(place: Place, type: string, at: number): void {
    this.#beganAt = at
    this.#roots.beginNavigation(place, type, at)
  }

  /** Whether a page is under way, or was shown just now. */
  get #isSoon(): boolean {
    return this.#roots.isUnderWay || pageClock.now() - this.#shownAt < REDIRECT_WINDOW_MS
  }

  #isRedirect(): boolean {
    return this.#isSoon && this.#roots.isNavigating && this.#lastInputAt < this.#beganAt
  }

  /** Notes when the user acts and when the history moves. It only listens. */
  #watchActivity(signal: AbortSignal): void {
    const options = { signal, capture: true, passive: true }
    const onInput = (event: Event) => (this.#lastInputAt = event.timeStamp)
    // `popstate` has no type: it is a traversal. A change of the entry in place has `null`.
    const onMove = (event: Event & { navigationType?: string | null }) => {
      const { navigationType = "traverse" } = event
      this.#movedAt = event.timeStamp
      this.#historyMove = navigationType ?? "replace"
    }
    window.addEventListener("click", onInput, options)
    window.addEventListener("keydown", onInput, options)
    window.addEventListener("popstate", onMove, options)
    const { navigation } = window as { navigation?: EventTarget }
    navigation?.addEventListener?.("currententrychange", onMove, options)
  }

  /** When the history moved, if that was just now; otherwise now. */
  #historyMovedAt(): number {
    const now = performance.now()
    return now - this.#movedAt < RECENT_MS ? this.#movedAt : now
  }
}
