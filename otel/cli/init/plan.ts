import { type AppFiles, findApp, findScript, newScript } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { editConfig } from "./edit-config.ts"
import { editErrorViews } from "./edit-error-views.ts"
import { editInstrumentationClient } from "./edit-instrumentation-client.ts"
import { editInstrumentation } from "./edit-instrumentation.ts"
import { editLayouts } from "./edit-layout.ts"
import { editProxy } from "./edit-proxy.ts"
import { disableSentryTracing } from "./edit-sentry.ts"
import { joined, newFile, NOTHING, type Note, onlyNote, type Plan } from "./edit.ts"
import { editEnvironment } from "./env-file.ts"
import { noticesFor, staticExport, tunnelPath } from "./notices.ts"
import { type Installation, missingPackages } from "./packages.ts"
import { removedSampling } from "./removed-sampling.ts"
import { mentions } from "./syntax.ts"

const ENTRY = "pagespan/tunnel"

export interface InitPlan extends Plan {
  readonly app: AppFiles
  /** `undefined` if no package is missing. */
  readonly installation: Installation | undefined
  /** How the app's traces are sampled after the edits, if that differs from before. */
  readonly sampling: Note | undefined
}

/**
 * The edits that an app needs so that Pagespan traces it.
 *
 * @param dsn to write into `.env`, if any.
 * @returns an empty plan for an app that needs none, `undefined` for a directory without an App Router app.
 */
export function planInit(directory: string, dsn?: string): InitPlan | undefined {
  const app = findApp(directory)
  if (app === undefined) return undefined
  const notice = staticExport(app)
  if (notice !== undefined) return { app, edits: [], notes: [notice], installation: undefined, sampling: undefined }
  const tunnel = tunnelPath(app)
  const plan = joined([
    editConfig(app),
    editInstrumentation(app),
    editInstrumentationClient(app),
    editLayouts(app),
    addTunnel(app, tunnel),
    editProxy(app, tunnel),
    editErrorViews(app),
    disableSentryTracing(app),
    editEnvironment(app, dsn),
    { edits: [], notes: noticesFor(app) },
  ])
  return { app, ...plan, installation: missingPackages(app, dsn !== undefined), sampling: removedSampling(app) }
}

/** Adds the tunnel's route. A route of the app at its path is left alone. */
function addTunnel(app: AppFiles, tunnel: string): Plan {
  const route = `${app.base}app${tunnel}/route`
  const existing = findScript(app, route)
  const code = `export { POST } from "${ENTRY}"`
  if (existing === undefined) return newFile(app, newScript(app, route), `${code}\n`)
  const program = Draft.open(app, existing)?.program
  if (program !== undefined && mentions(program, ENTRY)) return NOTHING
  return onlyNote(existing, `is not Pagespan's tunnel; add one at another path`, [
    `${code} // in ${newScript(app, `${app.base}app/telemetry/route`)}`,
    'withPagespan(nextConfig, { tunnelRoute: "/telemetry" })',
  ])
}
