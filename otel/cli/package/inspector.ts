import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { filesBelow } from "./library.ts"
import { run } from "./run.ts"

/** Of a build, what only the build itself reads. Source maps hold the sources. */
const NOT_SERVED =
  /^(?:cache|diagnostics|types|trace|trace-build|turbopack|pagespan-sources|export-marker\.json)(?:\/|$)|\.map$|\.nft\.json$/
/** Next's image service (20 MB), its font metrics (4 MB) and experimental React, which no screen uses. And what runs TypeScript here. */
const NOT_USED =
  /^node_modules\/(?:@img|sharp|detect-libc|semver|tsx|esbuild|@esbuild)\/|\/(?:capsize-font-metrics\.json|font-utils\.js|[\w-]+-experimental\.runtime\.prod\.js)$/
const MODULES = `node_modules${sep}`
/** Nothing listens there: the server that is asked what it loads needs no store. */
const NO_STORE = "http://127.0.0.1:9"

/**
 * Puts the built inspector into the package, with the parts of Next and React that serve it: a build is only served
 * well by the very version that made it, and the app beside which the package is installed has a version of its own.
 */
export async function copyInspector(project: string, target: string, scratch: string): Promise<void> {
  const build = join(project, ".next")
  for (const file of filesBelow(build)) {
    const path = relative(build, file)
    if (!NOT_SERVED.test(path)) copy(file, join(target, ".next", path))
  }
  const modules = new Set([...tracedFiles(project), ...(await loadedFiles(project, scratch))])
  for (const path of modules)
    if (path.startsWith(MODULES) && !path.endsWith(".map") && !NOT_USED.test(path)) copyModule(project, target, path)
  for (const name of ["required-server-files.json", "required-server-files.js"])
    forgetPlace(join(target, ".next", name), project)
  writeFileSync(join(target, "package.json"), `${JSON.stringify({ name: "pagespan-inspector", private: true })}\n`)
}

/** What Next's build says that its output and its server read. */
function tracedFiles(project: string): string[] {
  return filesBelow(join(project, ".next"))
    .filter((file) => file.endsWith(".nft.json"))
    .flatMap((list) => {
      const { files } = JSON.parse(readFileSync(list, "utf8")) as { files: string[] }
      return files.map((file) => relative(project, resolve(dirname(list), file)))
    })
}

async function loadedFiles(project: string, scratch: string): Promise<string[]> {
  const output = await run(process.execPath, ["--import", "tsx", "otel/cli/package/loaded-modules.ts"], {
    cwd: project,
    env: { ...process.env, NODE_ENV: "production", PAGESPAN_DATA: scratch, CLICKHOUSE_URL: NO_STORE },
  })
  const files = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "[]") as string[]
  return files.map((file) => relative(project, file))
}

/** A file with the manifest beside it, which may name what a directory is entered by. */
function copyModule(project: string, target: string, path: string): void {
  if (!statSync(join(project, path), { throwIfNoEntry: false })?.isFile()) return
  for (const file of [path, join(dirname(path), "package.json")])
    if (existsSync(join(project, file))) copy(join(project, file), join(target, file))
}

/** The build notes where it was made, which nobody needs to know. */
function forgetPlace(file: string, project: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(project, "."))
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}
