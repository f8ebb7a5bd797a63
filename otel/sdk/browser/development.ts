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
    if (!isOfPagesRouter() && (globalThis as { [OBSERVED]?: true })[OBSERVED] === undefined)
      warn(
        "no <RouteObserver/> in this root layout: routes of pages that are left early are guessed from URLs (npx pagespan init)",
      )
  }, PATIENCE_MS)
}

/** Such a page needs no observer. The App Router's object on the page has no events. */
function isOfPagesRouter(): boolean {
  return (window as { next?: { router?: { events?: unknown } } }).next?.router?.events !== undefined
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
