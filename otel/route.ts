import { shownPage } from "./sdk/browser/roots/shown-page.ts"
import { safely } from "./protocol/safely.ts"
import type { CurrentRoute } from "./sdk/routes/current-route.ts"
import { currentServerRoute } from "./sdk/server/next/current-route.ts"

export type { CurrentRoute } from "./sdk/routes/current-route.ts"

/**
 * Returns the route that the page shows or the server serves, for log lines, metrics and feature flags of your own: its pattern,
 * which has no values of a visitor, and its parameters. Pages that do not import `pagespan/route` load nothing of it.
 *
 * In a page, call it in an effect, an event handler or later: while React renders a navigation, the page still shows the route
 * that it leaves. On the server, call it in a page, a layout, a route handler or a server action, or in what they call, `after`
 * included. It works whether or not the request is sampled. Never throws.
 *
 * @returns `undefined` where there is no route: on an address that nothing serves, outside of a request, inside a function with
 *   `use cache`, in a prerender, in the edge runtime, and on the server of the Pages Router. On the server, `params` is empty for a
 *   rewritten address, whose parameters Next does not show.
 *
 * @example logger.info("saved", { route: currentRoute()?.route })
 * @example
 * const { route, params } = currentRoute() ?? {} // "/traces/[traceId]", { traceId: "4bf9…" }
 */
export function currentRoute(): CurrentRoute | undefined {
  return safely(() => (typeof window === "undefined" ? currentServerRoute() : shownPage()))
}
