import { existsSync, type Dirent, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { percentDecoded } from "../../protocol/percent-decoded.ts"
import { RELEASE_DEFINE } from "../../protocol/release-define.ts"
import { CommandError, EXIT } from "../exit.ts"

/** A script of the build with its source map. */
export interface BuiltScript {
  /** Below the build's folder, with `/`. */
  readonly path: string
  readonly file: string
  /** The map's file. */
  readonly map: string
  /** Other files with the same content, such as those of `output: "standalone"`. */
  readonly copies: readonly string[]
}

/** What `next build` wrote. */
export interface BuildOutput {
  /** The build's folder, usually `.next`. */
  readonly directory: string
  readonly scripts: readonly BuiltScript[]
  /** Scripts without a source map. */
  readonly unmapped: number
  /** Files below `static` that browsers could load: maps of scripts and of styles. */
  readonly publicMaps: readonly string[]
  /** That of the build: `release` of `withPagespan`, the commit of the CI system or the host, or that of git. */
  readonly release: string | undefined
  readonly basePath: string
  /** Whether pages check hashes of scripts (`experimental.sri`), so that those must not change. */
  readonly hasIntegrity: boolean
}

const DEFAULT_FOLDER = ".next"
/** `next build` writes it into the build's folder. */
const BUILD_FILE = "required-server-files.json"
const INTEGRITY_FILE = "server/subresource-integrity-manifest.json"
/** The folders whose scripts run, in pages and on the server. */
const PARTS = ["static", "server"] as const
/** Characters at the end of a script in which the comment with its map is looked for. */
const END_OF_SCRIPT = 2_000
const MAP_COMMENT = /^\/\/[#@] sourceMappingURL=(\S+)/gm
/** Entries of the build's folder that are read. The largest builds have some ten thousand. */
const ENTRY_LIMIT = 200_000

interface BuildFile {
  readonly config?: {
    readonly basePath?: string
    readonly compiler?: { readonly define?: Readonly<Record<string, unknown>> }
  }
  readonly relativeAppDir?: string
}

/**
 * Reads the output of `next build`, of either bundler.
 *
 * @param given the app's directory, or the build's folder.
 * @throws {CommandError} if there is no build, and if it is one of `next dev`.
 */
export function readBuild(given: string): BuildOutput {
  const directory = buildFolder(resolve(given))
  if (directory === undefined)
    throw new CommandError(
      `${given} has no build: run next build first, or name its folder (distDir of next.config)`,
      EXIT.usage,
    )
  const { config, relativeAppDir = "" } = JSON.parse(readFileSync(join(directory, BUILD_FILE), "utf8")) as BuildFile
  const files = PARTS.flatMap((part) => filesBelow(join(directory, part)))
  const standalone = join(directory, "standalone", relativeAppDir, basename(directory))
  const scripts = files.filter((file) => file.endsWith(".js")).map((file) => scriptAt(directory, standalone, file))
  const release = config?.compiler?.define?.[RELEASE_DEFINE]
  return {
    directory,
    scripts: scripts.filter((script) => script !== undefined),
    unmapped: scripts.filter((script) => script === undefined).length,
    publicMaps: files.filter((file) => file.endsWith(".map") && file.startsWith(join(directory, "static") + sep)),
    release: typeof release === "string" && release !== "" ? release : undefined,
    basePath: config?.basePath ?? "",
    hasIntegrity: existsSync(join(directory, INTEGRITY_FILE)),
  }
}

/** The directory itself, its `.next`, or the one folder in it that is a build. */
function buildFolder(directory: string): string | undefined {
  const others = entriesOf(directory).flatMap((entry) => (entry.isDirectory() ? [join(directory, entry.name)] : []))
  const [first, second] = [directory, join(directory, DEFAULT_FOLDER), ...others].filter((folder) =>
    existsSync(join(folder, BUILD_FILE)),
  )
  return first === directory || first === join(directory, DEFAULT_FOLDER) || second === undefined ? first : undefined
}

/** `undefined` for a script that names no map, or one that does not exist or is not part of the build. */
function scriptAt(directory: string, standalone: string, file: string): BuiltScript | undefined {
  const name = [...readFileSync(file, "utf8").slice(-END_OF_SCRIPT).matchAll(MAP_COMMENT)].at(-1)?.[1]
  const map = name === undefined || name.startsWith("data:") ? undefined : join(dirname(file), percentDecoded(name))
  if (map === undefined || !map.startsWith(directory + sep) || !existsSync(map)) return undefined
  const path = relative(directory, file)
  const copy = join(standalone, path)
  return { path: path.split(sep).join("/"), file, map, copies: existsSync(copy) ? [copy] : [] }
}

function filesBelow(root: string): string[] {
  const files: string[] = []
  const directories = [root]
  let entries = 0
  // Iteration visits what is added to the list during the loop.
  for (const directory of directories)
    for (const entry of entriesOf(directory)) {
      if (++entries > ENTRY_LIMIT) return files
      const path = join(directory, entry.name)
      if (entry.isDirectory()) directories.push(path)
      else if (entry.isFile()) files.push(path)
    }
  return files.sort()
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    // The build has no such folder.
    return []
  }
}
