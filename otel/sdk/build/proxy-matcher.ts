import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { parse } from "@babel/parser"

/** Names of Next's file that runs before a route, the current one first. */
const NAMES = ["proxy", "middleware"]
const DEFAULT_EXTENSIONS = ["tsx", "ts", "jsx", "js"]

type Statement = ReturnType<typeof parse>["program"]["body"][number]
type Expression = Extract<Statement, { type: "ExpressionStatement" }>["expression"]

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
    // The tunnel alone, and not all that begins like it.
    const own = `(?!${name}/?$|`
    const fixed = negating?.replace("(?!", () => own) ?? `/(${own}_next|.*\\..*).*)`
    return `${file} also runs for ${tunnel}, to which pages send: exclude it with matcher: ${JSON.stringify(fixed)}`
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
 * The sources of the matcher, which Next requires to be constants. What asks for a header, a cookie or a parameter is left
 * out: a page sends none of them to the tunnel. `undefined` without a matcher: then the file runs for every path.
 */
function sourcesIn(text: string): string[] | undefined {
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript", "jsx"] })
  const matcher = property(exportedConfig(program.body), "matcher")
  if (matcher === undefined) return undefined
  const each = matcher.type === "ArrayExpression" ? (matcher.elements as Expression[]) : [matcher]
  return each.flatMap((one) => {
    const isConditional = property(one, "has") !== undefined
    const source = textOf(property(one, "source") ?? one)
    return source === undefined || isConditional ? [] : [source]
  })
}

/** The value of `export const config = …`. */
function exportedConfig(statements: readonly Statement[]): Expression | undefined {
  for (const statement of statements) {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration?.type !== "VariableDeclaration") continue
    for (const { id, init } of statement.declaration.declarations)
      if (id.type === "Identifier" && id.name === "config") return init ?? undefined
  }
  return undefined
}

/** The value of a property of an object literal. */
function property(node: Expression | null | undefined, name: string): Expression | undefined {
  const object = withoutType(node)
  if (object?.type !== "ObjectExpression") return undefined
  for (const each of object.properties) {
    if (each.type !== "ObjectProperty") continue
    if ((each.key.type === "Identifier" ? each.key.name : textOf(each.key as Expression)) === name)
      return withoutType(each.value as Expression)
  }
  return undefined
}

/** A string, or a template without expressions. */
function textOf(node: Expression | null | undefined): string | undefined {
  const value = withoutType(node)
  if (value?.type === "StringLiteral") return value.value
  return value?.type === "TemplateLiteral" && value.quasis.length === 1 ? value.quasis[0]?.value.cooked : undefined
}

/** The expression within `… as const` and `… satisfies Type`. */
function withoutType(node: Expression | null | undefined): Expression | undefined {
  if (node?.type === "TSAsExpression" || node?.type === "TSSatisfiesExpression") return withoutType(node.expression)
  return node ?? undefined
}

/** Decides as Next does for a path of the app, with Next's own copy of `path-to-regexp`. */
function catches(directory: string, sources: readonly string[] | undefined, path: string): boolean {
  if (sources === undefined) return true
  const { pathToRegexp } = createRequire(resolve(directory, "package.json"))("next/dist/compiled/path-to-regexp") as {
    pathToRegexp(source: string): RegExp
  }
  return sources.some((source) => pathToRegexp(source).test(path))
}
