import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { runInNewContext } from "node:vm"

/** Names of Next's file that runs before a route, the current one first. */
const NAMES = ["proxy", "middleware"]
const DEFAULT_EXTENSIONS = ["tsx", "ts", "jsx", "js"]
const CONFIG = /\bexport const config\b/
/** More than Next needs for a constant that it reads itself. */
const EVALUATION_LIMIT_MS = 100

/**
 * A line about a `proxy.ts` or `middleware.ts` that also runs for the tunnel: if it redirects as it does for pages, nothing of a
 * page arrives. `undefined` where there is none, or where its code names the tunnel and so handles it by itself.
 *
 * @param tunnel path of the tunnel, without base path.
 * @param extensions Next's `pageExtensions`.
 */
export function proxyProblem(directory: string, tunnel: string, extensions?: readonly string[]): string | undefined {
  const file = proxyFile(directory, extensions)
  if (file === undefined) return undefined
  try {
    const text = readFileSync(join(directory, file), "utf8")
    const sources = sourcesIn(text)
    if (text.includes(tunnel.replace(/\/$/, "")) || !catches(directory, sources, tunnel)) return undefined
    const name = tunnel.replace(/^\/|\/$/g, "")
    const negating = sources?.find((source) => source.includes("(?!"))
    const fixed = negating?.replace("(?!", `(?!${name}|`) ?? `/((?!${name}|_next|.*\\..*).*)`
    return `pagespan: ${file} also runs for ${tunnel}, to which pages send: exclude it with matcher: ${JSON.stringify(fixed)}`
  } catch {
    // A file that Next itself cannot read fails the build, with a better message.
    return undefined
  }
}

function proxyFile(directory: string, extensions: readonly string[] = DEFAULT_EXTENSIONS): string | undefined {
  const files = NAMES.flatMap((name) => extensions.map((extension) => `${name}.${extension}`))
  return files.flatMap((name) => [name, `src/${name}`]).find((path) => existsSync(join(directory, path)))
}

/**
 * The sources of the matcher, which Next requires to be a constant. What asks for a header, a cookie or a parameter is left
 * out: a page sends none of them to the tunnel. `undefined` without a matcher: then the file runs for every path.
 */
function sourcesIn(text: string): string[] | undefined {
  const start = CONFIG.exec(text)
  if (start === null) return undefined
  const literal = objectAt(text, text.indexOf("{", text.indexOf("=", start.index)))
  const config: unknown = runInNewContext(`(${literal})`, {}, { timeout: EVALUATION_LIMIT_MS })
  // From the other realm.
  const { matcher } = JSON.parse(JSON.stringify(config)) as { matcher?: Matcher | Matcher[] }
  if (matcher === undefined) return undefined
  const each = (Array.isArray(matcher) ? matcher : [matcher]).map((one) =>
    typeof one === "string" ? { source: one } : one,
  )
  return each.filter(({ has }) => has === undefined).map(({ source }) => source)
}

type Matcher = string | { readonly source: string; readonly has?: unknown }

/** The object literal that begins at an index, without the types in it. */
function objectAt(text: string, from: number): string {
  let depth = 0
  for (let index = from; index < text.length; index = afterToken(text, index)) {
    const char = text[index] ?? ""
    if ("{[(".includes(char)) depth++
    else if ("}])".includes(char) && --depth === 0) return text.slice(from, index + 1).replaceAll("as const", "")
  }
  throw new Error("the object has no end")
}

/** The index after a string, a comment or a single character. */
function afterToken(text: string, index: number): number {
  const char = text[index] ?? ""
  if (text.startsWith("//", index)) return after(text, "\n", index)
  if (text.startsWith("/*", index)) return after(text, "*/", index + 2)
  if (!"\"'`".includes(char)) return index + 1
  for (let end = index + 1; end < text.length; end++) {
    if (text[end] === "\\") end++
    else if (text[end] === char) return end + 1
  }
  return text.length
}

function after(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from)
  return index < 0 ? text.length : index + mark.length
}

/** Decides as Next does for a path of the app, with Next's own copy of `path-to-regexp`. */
function catches(directory: string, sources: readonly string[] | undefined, path: string): boolean {
  if (sources === undefined) return true
  const { pathToRegexp } = createRequire(resolve(directory, "package.json"))("next/dist/compiled/path-to-regexp") as {
    pathToRegexp(source: string): RegExp
  }
  return sources.some((source) => pathToRegexp(source).test(path))
}
