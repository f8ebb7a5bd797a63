/** React commits a page's first route well before this, also where `next dev` compiles it first. */
const PATIENCE_MS = 4_000

/** Set by `<RouteObserver/>` in `next dev`. */
const OBSERVED = Symbol.for("pagespan.observed")

export function noteObserved(): void {
  ;(globalThis as { [OBSERVED]?: true })[OBSERVED] = true
}

/** What is amiss in an app, told in the console of `next dev`; no production page has this module. */
export function warnOfGaps(): void {
  // The app's own Sentry client is there by now; ours takes its place once the page is idle.
  if (hasSentryTracing())
    warn(
      "Sentry's own tracing is on too: take tracesSampleRate out of Sentry.init in instrumentation-client (npx pagespan init)",
    )
  setTimeout(() => {
    if ((globalThis as { [OBSERVED]?: true })[OBSERVED] === undefined)
      warn("no <RouteObserver/> in app/layout: what the router shows is guessed from addresses (npx pagespan init)")
  }, PATIENCE_MS)
}

function warn(line: string): void {
  // oxlint-disable-next-line no-console -- it is where whoever develops the page looks
  console.warn(`pagespan: ${line}`)
}

interface Carrier {
  readonly version?: string
  readonly [version: string]: unknown
}

/** Whether a Sentry client that is not ours traces this page, by what every version of the SDK keeps on the global object. */
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
