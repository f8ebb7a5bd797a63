import type { SpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { BuildManifest } from "../../routes/build-manifest.ts"
import { traceActions } from "./action-spans.ts"
import { traceCaches } from "./cache-spans.ts"
import { currentRouteIn, setCurrentRoute } from "./current-route.ts"
import { PrerenderCheck } from "./prerender-check.ts"
import { workStores } from "./work-stores.ts"

/** Starts what reads the state of Next's server. Without that state there is less, and everything else works. */
export function watchNext(manifest: BuildManifest): void {
  const stores = workStores()
  if (stores === undefined) return
  setCurrentRoute(() => currentRouteIn(stores, manifest.basePath))
  traceActions(stores)
  traceCaches(stores)
}

/** What checks in `next dev` how OpenTelemetry is set up. Next replaces both variables in what it bundles. */
export function developmentChecks(): SpanProcessor[] {
  if (process.env.NODE_ENV !== "development" || !process.env.__NEXT_CACHE_COMPONENTS) return []
  const stores = workStores()
  return stores === undefined ? [] : [new PrerenderCheck(stores)]
}
