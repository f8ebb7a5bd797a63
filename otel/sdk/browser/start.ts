import { buildManifest, type BuildManifest } from "../routes/build-manifest.ts"
import { safely } from "../safely.ts"
import { pageClock } from "./clock.ts"
import { deleteOfflineDatabase } from "./delivery/offline-database.ts"
import { currentPage, type Page, setCurrentPage } from "./page.ts"
import { Tracing } from "./pipeline.ts"
import type { RouteCommit } from "./roots/route-name.ts"
import { randomSessionId, VisitorSession } from "./session.ts"

/** `granted`: the site needs no consent, or has it. `required`: nothing happens until `grantConsent()`. */
export type ConsentMode = "granted" | "required"

/**
 * Whether a page may be traced before anyone has been asked. Global Privacy Control is an objection that counts
 * wherever no consent is required; an explicit `grantConsent()` is more specific and overrides it.
 *
 * @see https://www.w3.org/TR/gpc/
 */
export function isAllowedAtStart(mode: ConsentMode, navigator: object, honoursGpc: boolean): boolean {
  const objects = (navigator as { globalPrivacyControl?: unknown }).globalPrivacyControl === true
  return mode === "granted" && !(objects && honoursGpc)
}

/** Starts the page's tracer, once, before the page hydrates. Whatever goes wrong, the page goes on as if it were not there. */
export function startPage(): void {
  if (typeof window === "undefined" || currentPage() !== undefined) return
  try {
    // A sandboxed frame is of no origin: its own server is a stranger to it, and every request of ours would be refused aloud.
    if (window.origin === "null") return
    const facts = buildManifest()
    const page = new WatchedPage(facts)
    setCurrentPage(page)
    if (process.env.NODE_ENV === "development") void import("./development.ts").then(({ warnOfGaps }) => warnOfGaps())
    if (isAllowedAtStart(facts.consent, navigator, facts.honoursPrivacyControl)) page.grantConsent()
  } catch {
    // A page must never suffer from being watched, and there is nobody yet to tell.
  }
}

/** The page, traced or not: consent may come and go while it lives. Nothing here throws into the page. */
class WatchedPage implements Page {
  readonly #facts: BuildManifest
  readonly #session = new VisitorSession({
    storage: () => window.localStorage,
    now: () => Date.now(),
    randomId: randomSessionId,
  })
  #tracing: Tracing | undefined
  #isFirstStart = true
  #shown: { readonly commit: RouteCommit; readonly at: number } | undefined

  constructor(facts: BuildManifest) {
    this.#facts = facts
  }

  committed(commit: RouteCommit): void {
    const at = pageClock.now()
    this.#shown = { commit, at }
    safely(() => this.#tracing?.committed(commit, at))
  }

  reportError(error: unknown): void {
    safely(() => this.#tracing?.reportError(error))
  }

  currentTraceId(): string | undefined {
    return this.#tracing?.currentTraceId()
  }

  transitionStarted(url: string, type: string): void {
    safely(() => this.#tracing?.transitionStarted(url, type))
  }

  grantConsent(): void {
    if (this.#tracing !== undefined) return
    safely(() => {
      this.#tracing = new Tracing(this.#facts, this.#session)
      this.#tracing.start(this.#isFirstStart)
      this.#isFirstStart = false
      // A router that has shown its page before it was watched does not say so again.
      if (this.#shown !== undefined) this.#tracing.committed(this.#shown.commit, this.#shown.at)
    })
  }

  withdrawConsent(): void {
    safely(() => this.#tracing?.stop())
    this.#tracing = undefined
    this.#session.forget()
    deleteOfflineDatabase()
  }
}
