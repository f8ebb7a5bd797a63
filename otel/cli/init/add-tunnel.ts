import { type AppFiles, findScript } from "./app-files.ts"
import type { Plan } from "./edit.ts"

/** The same-origin way out of a page. A route that is there already is the app's own. */
export function addTunnel(app: AppFiles): Plan {
  const route = `${app.base}app/monitoring/route`
  if (findScript(app, route) !== undefined) return { edits: [], notes: [] }
  const path = `${route}.${app.isTypeScript ? "ts" : "js"}`
  return { edits: [{ path, before: undefined, after: `export { POST } from "pagespan/tunnel"\n` }], notes: [] }
}
