import { safely } from "../../../protocol/safely.ts"
import { pageClock } from "../clock.ts"
import { pagesRouterCommit } from "./pages-router-commit.ts"
import type { Transitions } from "./transitions.ts"

/** The Pages Router, as Next puts it on the page. */
export interface PagesRouter {
  /** The route that it shows, in bracket form. */
  readonly pathname: string
  readonly events: {
    on(event: string, listener: (url: string, options?: { readonly shallow?: boolean }) => void): void
    off(event: string, listener: (url: string, options?: { readonly shallow?: boolean }) => void): void
  }
}

/**
 * Turns what the Pages Router reports into navigation roots, once the page is idle: Next calls no start hook there. Its events
 * do not say whether it adds or replaces an entry of the history, so that both count as a push. A shallow change is none.
 */
export function watchPagesRouter(
  router: PagesRouter,
  transitions: Transitions,
  loadedAt: number,
  signal: AbortSignal,
): void {
  let isUnderWay = false
  const shown = (at: number) => safely(() => transitions.committed(pagesRouterCommit(router.pathname), at))
  const started = (to: string, { shallow = false } = {}) =>
    safely(() => {
      if (shallow) return
      const { href } = new URL(to, window.location.href)
      // Back and forward move first. A redirect follows before the page is shown.
      const type = href === window.location.href ? "traverse" : isUnderWay ? "replace" : "push"
      isUnderWay = true
      transitions.started(href, type)
    })
  const completed = () => {
    isUnderWay = false
    shown(pageClock.now())
  }
  router.events.on("routeChangeStart", started)
  router.events.on("routeChangeComplete", completed)
  signal.addEventListener("abort", () => {
    router.events.off("routeChangeStart", started)
    router.events.off("routeChangeComplete", completed)
  })
  shown(loadedAt)
}
