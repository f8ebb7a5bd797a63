import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { DEFAULT_STYLE, type Style, styleOf } from "./style.ts"
import { child, children, nameOf, nodesBelow, parseScript, stringOf } from "./syntax.ts"

/** A Next app on disk. */
export interface AppFiles {
  readonly directory: string
  /** The prefix of `app` and `instrumentation`: `src/` or empty. */
  readonly base: string
  readonly isTypeScript: boolean
  /** The extensions of the app's routes, if its configuration names them. */
  readonly pageExtensions: readonly string[]
  /** Ranges of the packages in the manifest, by name. */
  readonly packages: ReadonlyMap<string, string>
  /** The style of new files. */
  readonly style: Style
}

/** In the order in which Next looks for them. */
const CONFIGS = ["next.config.js", "next.config.mjs", "next.config.ts", "next.config.mts"]
const SCRIPTS = ["ts", "tsx", "mts", "js", "jsx", "mjs", "cjs"]
/** Deeper folders hold no root layout, and a walk must end. */
const MAX_DEPTH = 12

/** The App Router app in the directory, `undefined` if there is none. */
export function findApp(directory: string): AppFiles | undefined {
  const base = ["", "src/"].find((prefix) => existsSync(join(directory, prefix, "app")))
  const manifest = readText(directory, "package.json")
  if (base === undefined || manifest === undefined) return undefined
  const { dependencies = {}, devDependencies = {} } = JSON.parse(manifest.replace(/^\uFEFF/, "")) as Record<
    string,
    Record<string, string>
  >
  const pageExtensions = extensionsIn(directory)
  const names = [`${base}app/layout`, `${base}instrumentation`, `${base}app/page`]
  const scripts = names.flatMap((name) => findScript({ directory, pageExtensions }, name) ?? [])
  const config = configPath(directory)
  return {
    directory,
    base,
    pageExtensions,
    // Where there is none yet, Next's first build of an app with such files writes it.
    isTypeScript: existsSync(join(directory, "tsconfig.json")) || scripts.some((path) => /\.tsx?$/.test(path)),
    packages: new Map(Object.entries({ ...devDependencies, ...dependencies })),
    style: appStyle(directory, config === undefined ? scripts : [...scripts, config]),
  }
}

/** The file of the configuration, relative to the app. */
export function configPath(directory: string): string | undefined {
  return CONFIGS.find((path) => existsSync(join(directory, path)))
}

/** `pageExtensions` of the configuration, if it is a list of strings. */
function extensionsIn(directory: string): string[] {
  const path = configPath(directory)
  const parsed = path === undefined ? undefined : parseScript(readText(directory, path) ?? "", path)
  const nodes = parsed === undefined ? [] : [...nodesBelow(parsed.program)]
  const property = nodes.find((node) => nameOf(child(node, "key")) === "pageExtensions")
  const list = property && child(property, "value")
  return list === undefined ? [] : children(list, "elements").flatMap((each) => stringOf(each) ?? [])
}

/** The path, relative to the app, of the first name that exists with the extension of a script. */
export function findScript(
  { directory, pageExtensions }: Pick<AppFiles, "directory" | "pageExtensions">,
  ...names: readonly string[]
): string | undefined {
  return names
    .flatMap((name) => [...SCRIPTS, ...pageExtensions].map((extension) => `${name}.${extension}`))
    .find((path) => existsSync(join(directory, path)))
}

/** The path of a new script, with an extension that Next takes for a route. */
export function newScript({ isTypeScript, pageExtensions }: AppFiles, name: string, hasJsx = false): string {
  const plain = isTypeScript ? ["ts", "tsx"] : ["js", "jsx"]
  const usable = hasJsx && isTypeScript ? ["tsx"] : plain
  const listed = usable.flatMap((end) => pageExtensions.filter((each) => each === end || each.endsWith(`.${end}`)))
  return `${name}.${listed.find((each) => usable.includes(each)) ?? listed[0] ?? usable[0]}`
}

/** The folders below `app` that can hold routes, the outer ones first, relative to the Next app. */
export function routeFolders({ directory, base }: AppFiles): string[] {
  const folders = [`${base}app`]
  // Iteration visits what is added to the list during the loop.
  for (const folder of folders)
    for (const entry of readdirSync(join(directory, folder), { withFileTypes: true }))
      if (entry.isDirectory() && !/^_|^node_modules$/.test(entry.name) && folder.split("/").length < MAX_DEPTH)
        folders.push(`${folder}/${entry.name}`)
  return folders
}

/** Folders of packages, tools and builds. */
const NOT_SOURCES = /^(?:\..*|node_modules|build|coverage|dist|out)$/
const SOURCE = /(?<!\.(?:spec|stories|test))\.[cm]?[jt]sx?$/

/** The scripts that the app may be made of, relative to it. */
export function sourceScripts({ directory }: AppFiles): string[] {
  const folders = ["."]
  const scripts: string[] = []
  // Iteration visits what is added to the list during the loop.
  for (const folder of folders)
    for (const entry of readdirSync(join(directory, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name)
      if (entry.isFile() && SOURCE.test(entry.name)) scripts.push(path)
      if (entry.isDirectory() && !NOT_SOURCES.test(entry.name) && path.split("/").length < MAX_DEPTH) folders.push(path)
    }
  return scripts.toSorted()
}

/**
 * The file that a relative path, `@/…` or `#…` in the manifest's `imports` names.
 *
 * @param from the importing file.
 * @returns `undefined` for a package, and for what does not exist.
 */
export function resolveImport(app: AppFiles, from: string, specifier: string): string | undefined {
  const candidates = specifier.startsWith(".")
    ? [posix.join(posix.dirname(from), specifier)]
    : specifier.startsWith("@/")
      ? [specifier.slice(2), `src/${specifier.slice(2)}`]
      : specifier.startsWith("#")
        ? [specifier.slice(1), `src/${specifier.slice(1)}`]
        : []
  for (const path of candidates.filter((each) => !each.startsWith("..")))
    if (/\.[cm]?[jt]sx?$/.test(path) && existsSync(join(app.directory, path))) return path
  return findScript(app, ...candidates.flatMap((path) => [path, `${path}/index`]))
}

/** The style of these files: each says what those before it leave open. */
function appStyle(directory: string, paths: readonly string[]): Style {
  return paths.toReversed().reduce((style, path) => {
    const text = readText(directory, path)
    const parsed = text === undefined ? undefined : parseScript(text, path)
    return text === undefined || parsed === undefined ? style : styleOf(text, parsed, style)
  }, DEFAULT_STYLE)
}

/** The text with its byte order mark, if any. `undefined` if the file does not exist or is not UTF-8. */
export function readText(directory: string, path: string): string | undefined {
  const file = join(directory, path)
  if (!existsSync(file)) return undefined
  const bytes = readFileSync(file)
  const text = bytes.toString("utf8")
  return Buffer.from(text).equals(bytes) ? text : undefined
}
