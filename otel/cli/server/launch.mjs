import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { pathToFileURL } from "node:url"

/**
 * `npm start`: runs the inspector of a checkout from one bundle, so that no compiler runs beside it. If the sources have
 * changed, it makes the bundle first, which takes about a second.
 */

const project = join(import.meta.dirname, "../../..")
const programs = join(project, "dist/programs", digestOfSources())
if (!existsSync(programs)) bundle()
await import(pathToFileURL(join(programs, "cli/server/start.js")).href)

/** Digest of everything that the bundle is made from. */
function digestOfSources() {
  const hash = createHash("sha256").update(readFileSync(join(project, "package-lock.json")))
  const sources = join(project, "otel")
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
  for (const file of files.filter((name) => /^\.[cm]?[jt]s$/.test(extname(name))).sort())
    hash.update(file).update(readFileSync(join(sources, file)))
  return hash.digest("hex").slice(0, 20)
}

function bundle() {
  const task = ["--import", "tsx", "otel/cli/package/main.ts", "programs", programs]
  const { status } = spawnSync(process.execPath, task, { cwd: project, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}
