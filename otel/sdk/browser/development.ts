/** React commits the first route well before this, even where `next dev` compiles it first. */
const PATIENCE_MS = 4_000

/** Set by `<RouteObserver/>` in `next dev`. */
const OBSERVED = Symbol.for("pagespan.observed")

export function noteObserved(): void {
  ;(globalThis as { [OBSERVED]?: true })[OBSERVED] = true
}

/** Warns in the console of `next dev` about a setup that is incomplete. Production pages do not load this module. */
export function warnOfGaps(): void {
  // The app's own Sentry client exists by now; ours replaces it once the page is idle.
  if (hasSentryTracing())
    warn(
      "Sentry's own tracing is on too: remove tracesSampleRate from Sentry.init in instrumentation-client (npx pagespan init)",
    )
  setTimeout(() => {
    if (!isOfPagesRouter() && !isWithoutLayout() && (globalThis as { [OBSERVED]?: true })[OBSERVED] === undefined)
      warn(
        "no <RouteObserver/> in this root layout: routes of pages that are left early are guessed from URLs (npx pagespan init)",
      )
  }, PATIENCE_MS)
}

/** Such a page needs no observer. The App Router's object on the page has no events. */
function isOfPagesRouter(): boolean {
  return (window as { next?: { router?: { events?: unknown } } }).next?.router?.events !== undefined
}

/**
 * Whether this may be a page outside the root layout: Next's own 404 page, where the app has a root layout for each language
 * or group, `global-not-found`, or `global-error`.
 */
function isWithoutLayout(): boolean {
  const [load] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
  // A page that streams has sent its status before.
  return (load?.responseStatus ?? 0) >= 400 || document.querySelector(".next-error-h1") !== null
}

function warn(line: string): void {
  // oxlint-disable-next-line no-console -- developers of the page read the console
  console.warn(`pagespan: ${line}`)
}

interface Carrier {
  readonly version?: string
  readonly [version: string]: unknown
}

/** Whether another Sentry client traces this page, from what every version of the SDK stores on the global object. */
function hasSentryTracing(): boolean {
  const carrier = (globalThis as { __SENTRY__?: Carrier }).__SENTRY__
  const versions = Object.values(carrier ?? {}) as { defaultCurrentScope?: Scope; stack?: { getScope?(): Scope } }[]
  return versions.some((each) => {
    const scope = each?.stack?.getScope?.() ?? each?.defaultCurrentScope
    const options = scope?.getClient?.()?.getOptions?.()
    return options?.tracesSampleRate !== undefined || options?.tracesSampler !== undefined
  })
}

interface Scope {
  getClient?(): { getOptions?(): { tracesSampleRate?: unknown; tracesSampler?: unknown } } | undefined
}
