import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { programBundle } from "./program-bundle.mjs"

/**
 * `npm start`: runs the inspector of a checkout from one bundle, so that no compiler runs beside it. If the sources have
 * changed, it makes the bundle first, which takes about a second.
 */

const project = join(import.meta.dirname, "../../..")
const programs = programBundle(project)
if (!existsSync(programs)) bundle()
await import(pathToFileURL(join(programs, "cli/server/start.js")).href)

function bundle() {
  const task = ["--import", "tsx", "otel/cli/package/main.ts", "programs", programs]
  const { status } = spawnSync(process.execPath, task, { cwd: project, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}
