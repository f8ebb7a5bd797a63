import { addTunnel } from "./add-tunnel.ts"
import { findApp } from "./app-files.ts"
import { editConfig } from "./edit-config.ts"
import { editInstrumentation } from "./edit-instrumentation.ts"
import { editLayout } from "./edit-layout.ts"
import type { Plan } from "./edit.ts"
import { quietSentry } from "./quiet-sentry.ts"

/** All that an app lacks to be traced. Empty when it lacks nothing; `undefined` where there is no App Router app. */
export function planInit(directory: string): Plan | undefined {
  const app = findApp(directory)
  if (app === undefined) return undefined
  const plans = [editConfig(app), editInstrumentation(app), editLayout(app), addTunnel(app), quietSentry(app)]
  return { edits: plans.flatMap(({ edits }) => edits), notes: plans.flatMap(({ notes }) => notes) }
}
