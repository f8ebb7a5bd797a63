import { pageClock } from "../clock.ts"
import type { CurrentRoot } from "./current-root.ts"
import type { PageRoots } from "./page-roots.ts"

/** Chromium keeps as many entries of one tab's history (`kMaxSessionHistoryEntries`). */
const ENTRY_LIMIT = 50

/** The part of the Navigation API that is used. Firefox has it since 147, Safari since 26.2. */
interface NavigationApi extends EventTarget {
  readonly currentEntry: { readonly key: string } | null
}

/**
 * Entries of the tab's history that the app itself added with `history.pushState`. Back and forward between them and the
 * entry at which the router showed the page show the same page. Without the Navigation API none are known. It is loaded once
 * the page is idle: an app that adds entries does so for a visitor.
 */
export class ShallowEntries {
  readonly #navigation = (window as { navigation?: NavigationApi }).navigation
  /** By key of a shallow entry: the key of the entry at which the router showed its page. */
  readonly #pages = new Map<string, string>()
  readonly #roots: PageRoots
  readonly #current: CurrentRoot
  #page = this.#pageHere()

  /** @param onMoved called after a move within the page, where the router may have shown another page. */
  constructor(roots: PageRoots, current: CurrentRoot, onMoved: (at: number) => void, signal: AbortSignal) {
    this.#roots = roots
    this.#current = current
    const onMove = (event: Event) => {
      const { navigationType } = event as { navigationType?: string | null }
      // An entry that is added while the router is about to show a page is the router's.
      if (navigationType === "push" && !roots.isUnderWay) this.#added()
      // Back and forward move first. Next replaces the entry's state once it shows the page.
      if (navigationType !== "traverse") onMoved(pageClock.now())
    }
    this.#navigation?.addEventListener?.("currententrychange", onMove, { signal })
  }

  /** Whether the history moved to an entry of the page that the router shows. */
  get isSamePage(): boolean {
    return !this.#roots.isUnderWay && this.#page !== undefined && this.#pageHere() === this.#page
  }

  #added(): void {
    const { currentEntry } = this.#navigation ?? {}
    if (!currentEntry || this.#page === undefined) return
    this.#pages.set(currentEntry.key, this.#page)
    const [oldest = ""] = this.#pages.keys()
    if (this.#pages.size > ENTRY_LIMIT) this.#pages.delete(oldest)
  }

  /** The router shows a page at the current entry. After back or forward it is the one that it showed there before. */
  arrived(): void {
    const type = this.#current.root?.span.attributes["navigation.type"]
    if (type !== "traverse") this.#pages.delete(this.#navigation?.currentEntry?.key ?? "")
    this.#page = this.#pageHere()
  }

  #pageHere(): string | undefined {
    const key = this.#navigation?.currentEntry?.key
    return key && (this.#pages.get(key) ?? key)
  }
}
