import { type AppFiles, findApp, findScript } from "./app-files.ts"
import { editConfig } from "./edit-config.ts"
import { editInstrumentation } from "./edit-instrumentation.ts"
import { editLayout } from "./edit-layout.ts"
import { disableSentryTracing } from "./edit-sentry.ts"
import { NOTHING, type Plan } from "./edit.ts"

/**
 * The edits that an app needs so that Pagespan traces it.
 *
 * @returns an empty plan for an app that needs none, `undefined` for a directory without an App Router app.
 */
export function planInit(directory: string): Plan | undefined {
  const app = findApp(directory)
  if (app === undefined) return undefined
  const plans = [editConfig(app), editInstrumentation(app), editLayout(app), addTunnel(app), disableSentryTracing(app)]
  return { edits: plans.flatMap(({ edits }) => edits), notes: plans.flatMap(({ notes }) => notes) }
}

/** Adds the tunnel's route. An existing route is left alone. */
function addTunnel(app: AppFiles): Plan {
  const route = `${app.base}app/monitoring/route`
  if (findScript(app, route) !== undefined) return NOTHING
  const path = `${route}.${app.isTypeScript ? "ts" : "js"}`
  return { edits: [{ path, before: undefined, after: `export { POST } from "pagespan/tunnel"\n` }], notes: [] }
}
