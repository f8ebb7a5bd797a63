import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { shareEqualChunks } from "./equal-chunks.ts"
import { filesBelow, run } from "./library.ts"

/** Files of `.next` that the server does not read, and source maps, which contain the sources. */
const NOT_SERVED =
  /^(?:cache|diagnostics|types|trace|trace-build|turbopack|pagespan-sources|export-marker\.json)(?:\/|$)|\.map$|\.nft\.json$/
/**
 * Modules that no screen uses: Next's image service (20 MB), its font metrics (4 MB), experimental React, and the TypeScript
 * loader.
 */
const NOT_USED =
  /^node_modules\/(?:@img|sharp|detect-libc|semver|tsx|esbuild|@esbuild)\/|\/(?:capsize-font-metrics\.json|font-utils\.js|[\w-]+-experimental\.runtime\.prod\.js)$/
const MODULES = `node_modules${sep}`
/** A port where nothing listens: the server that lists its modules needs no store. */
const NO_STORE = "http://127.0.0.1:9"

/**
 * Copies the built inspector into the package, with the files of Next and React that serve it. A build needs the Next
 * version that made it, and the app that installs the package has another one.
 *
 * @param scratch an empty directory for the data of the server that lists its modules.
 */
export async function copyInspector(project: string, target: string, scratch: string): Promise<void> {
  const build = join(project, ".next")
  for (const file of filesBelow(build)) {
    const path = relative(build, file)
    if (!NOT_SERVED.test(path)) copy(file, join(target, ".next", path))
  }
  shareEqualChunks(join(target, ".next/server/chunks"))
  const modules = new Set([...tracedFiles(project), ...(await loadedFiles(project, scratch))])
  for (const path of modules)
    if (path.startsWith(MODULES) && !path.endsWith(".map") && !NOT_USED.test(path)) copyModule(project, target, path)
  for (const name of ["required-server-files.json", "required-server-files.js"])
    removeMachineDetails(join(target, ".next", name), project)
  derivePreviewKeys(join(target, ".next"))
  writeFileSync(join(target, "package.json"), `${JSON.stringify({ name: "pagespan-inspector", private: true })}\n`)
}

/** The files that Next's build traced. */
function tracedFiles(project: string): string[] {
  return filesBelow(join(project, ".next"))
    .filter((file) => file.endsWith(".nft.json"))
    .flatMap((list) => {
      const { files } = JSON.parse(readFileSync(list, "utf8")) as { files: string[] }
      return files.map((file) => relative(project, resolve(dirname(list), file)))
    })
}

/** The files that the running server loads. Next does not trace its custom server. */
async function loadedFiles(project: string, scratch: string): Promise<string[]> {
  const output = await run(process.execPath, ["--import", "tsx", "otel/cli/package/loaded-modules.ts"], {
    cwd: project,
    env: { ...process.env, NODE_ENV: "production", PAGESPAN_DATA: scratch, CLICKHOUSE_URL: NO_STORE },
  })
  const files = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "[]") as string[]
  return files.map((file) => relative(project, file))
}

/** Copies a file and the manifest beside it, which can name the entry of its directory. */
function copyModule(project: string, target: string, path: string): void {
  if (!statSync(join(project, path), { throwIfNoEntry: false })?.isFile()) return
  for (const file of [path, join(dirname(path), "package.json")])
    if (existsSync(join(project, file))) copy(join(project, file), join(target, file))
}

/**
 * The built configuration contains the path of the project, which the package must not disclose, and whether the build had a
 * cache, by which equal packages would differ.
 */
function removeMachineDetails(file: string, project: string): void {
  const text = readFileSync(file, "utf8").replaceAll(project, ".")
  writeFileSync(file, text.replace(/("turbopackFileSystemCacheForBuild":\s*)true/, "$1false"))
}

/**
 * Next draws keys for its preview mode, which the inspector does not have. Keys in a published package are no secret, and random
 * ones would make each package another one.
 */
function derivePreviewKeys(build: string): void {
  const buildId = readFileSync(join(build, "BUILD_ID"), "utf8")
  const keys = JSON.parse(readFileSync(join(build, "server/preview-props.json"), "utf8")) as Record<string, string>
  for (const file of ["server/preview-props.json", "prerender-manifest.json"]) {
    let text = readFileSync(join(build, file), "utf8")
    for (const [name, key] of Object.entries(keys))
      text = text.replaceAll(key, createHash("sha256").update(`${name} ${buildId}`).digest("hex").slice(0, key.length))
    writeFileSync(join(build, file), text)
  }
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}
