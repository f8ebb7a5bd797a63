import { buildManifest, type BuildManifest } from "../routes/build-manifest.ts"
import { safely } from "../../protocol/safely.ts"
import { followSystemClock } from "./clock.ts"
import { currentPage, type Page, setCurrentPage } from "./page.ts"
import { type PagePipeline, startPipeline } from "./pipeline.ts"
import { deleteStoredData } from "./stored-data.ts"

/** Starts the page's tracer, once, before the page hydrates. A failure leaves the page untraced. */
export function startPage(): void {
  if (typeof window === "undefined" || currentPage() !== undefined) return
  safely(() => {
    // A sandboxed frame has an opaque origin: its requests to its own server are cross-origin, and each would log an error.
    if (window.origin === "null") return
    // The timeline may be wrong from the start (https://github.com/getsentry/sentry-javascript/issues/2590).
    followSystemClock(-Infinity)
    const facts = buildManifest()
    const page = new TracedPage(facts)
    setCurrentPage(page)
    if (process.env.NODE_ENV === "development") void import("./development.ts").then(({ warnOfGaps }) => warnOfGaps())
    if (isAllowedAtStart(facts)) page.grantConsent()
  })
}

/**
 * Whether a page may be traced before its visitor has decided. Global Privacy Control is an objection where no consent is
 * required; an explicit `grantConsent()` is more specific and overrides it.
 *
 * @see https://www.w3.org/TR/gpc/
 */
function isAllowedAtStart(facts: BuildManifest): boolean {
  const { globalPrivacyControl: objects } = navigator as { globalPrivacyControl?: boolean }
  return !facts.requiresConsent && (!objects || facts.ignoresPrivacyControl === true)
}

/** The page, traced or not: consent can be granted and withdrawn while it lives. Its methods never throw. */
class TracedPage implements Page {
  readonly #facts: BuildManifest
  #pipeline: PagePipeline | undefined
  #isFirstStart = true

  constructor(facts: BuildManifest) {
    this.#facts = facts
  }

  committed(): void {
    safely(() => this.#pipeline?.committed())
  }

  reportError(error: unknown): void {
    safely(() => this.#pipeline?.reportError(error))
  }

  currentTraceId(): string | undefined {
    return safely(() => this.#pipeline?.currentTraceId())
  }

  transitionStarted(url: string, type: string): void {
    safely(() => this.#pipeline?.transitionStarted(url, type))
  }

  grantConsent(): void {
    if (this.#pipeline !== undefined) return
    safely(() => {
      this.#pipeline = startPipeline({
        facts: this.#facts,
        withPageload: this.#isFirstStart,
      })
      // The router does not repeat what it showed before. A page load waits for it.
      if (!this.#isFirstStart) this.#pipeline.committed()
      this.#isFirstStart = false
    })
  }

  withdrawConsent(): void {
    safely(() => this.#pipeline?.stop())
    this.#pipeline = undefined
    deleteStoredData()
  }
}
