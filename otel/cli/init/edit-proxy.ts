import { createRequire } from "node:module"
import { join } from "node:path"
import { type AppFiles, findScript } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { NOTHING, onlyNote, type Plan } from "./edit.ts"
import { bindingsOf, child, children, exportOf, nameOf, type Node, type Program, stringOf } from "./syntax.ts"

const PARSER = "next/dist/compiled/path-to-regexp"
/** Matchers for every path, which the exception for the tunnel can replace. */
const EVERY_PATH = new Set(["/:path*", "/(.*)", "/((.*))"])
/** The start of a matcher with exceptions, like that of next-intl and of Clerk. */
const WITH_EXCEPTIONS = "/((?!"

/**
 * Excludes the tunnel from the matcher of `proxy` or `middleware`, which would redirect or reject what pages send.
 *
 * @param tunnel the path of the tunnel.
 */
export function editProxy(app: AppFiles, tunnel: string): Plan {
  const path = findScript(app, `${app.base}proxy`, `${app.base}middleware`)
  if (path === undefined) return NOTHING
  const exception = `${tunnel.slice(1)}/?$`
  const task = `exclude ${tunnel} from the matcher, so that what pages send reaches Pagespan`
  const whole = `${WITH_EXCEPTIONS}${exception}).*)`
  const lines = [`"${WITH_EXCEPTIONS}${exception}|…).*)" // … is what your matcher excludes`]
  const draft = Draft.open(app, path)
  const matches = matcherOf(app)
  if (draft === undefined || matches === undefined || !/^\/[\w/-]+$/.test(tunnel)) return onlyNote(path, task, lines)
  const config = exportOf(draft.program, "config")
  const added = [`export const config = { matcher: ["${whole}"] }`]
  if (config === undefined) {
    draft.append(added[0] ?? "")
    return draft.plan(task, added)
  }
  const sources = config.isDeclared ? sourcesOf(config.value, draft.program) : undefined
  // Next runs a proxy without a matcher for every path.
  if (sources === undefined) return onlyNote(path, task, lines)
  for (const source of sources) {
    const pattern = textOf(source)
    if (pattern === undefined) return onlyNote(path, task, lines)
    if (!matches(pattern, tunnel)) continue
    const start = source.start + 1
    if (EVERY_PATH.has(pattern)) draft.replaceText(source, start, source.end - 1, whole, whole)
    else if (!pattern.startsWith(WITH_EXCEPTIONS)) return onlyNote(path, task, lines)
    else {
      const mended = `${WITH_EXCEPTIONS}${exception}|${pattern.slice(WITH_EXCEPTIONS.length)}`
      const at = start + WITH_EXCEPTIONS.length
      if (matches(mended, tunnel)) return onlyNote(path, task, lines)
      draft.replaceText(source, at, at, `${exception}|`, mended)
    }
  }
  return draft.plan(task, lines)
}

type Matcher = (pattern: string, path: string) => boolean

/** The parser of matchers in the app's Next, else in this package's. `undefined` without either. */
function matcherOf({ directory }: AppFiles): Matcher | undefined {
  for (const from of [join(directory, "package.json"), import.meta.url])
    try {
      const { pathToRegexp } = createRequire(from)(PARSER) as { pathToRegexp: (pattern: string) => RegExp }
      return (pattern, path) => pathToRegexp(pattern).test(path)
    } catch {
      // Next is not installed there.
    }
  return undefined
}

/** The literals of the patterns. `undefined` if the configuration has no matcher, or one that is not written there. */
function sourcesOf(value: Node, program: Program): Node[] | undefined {
  const config = literalOf(value, program)
  const matcher = children(config ?? value, "properties").find((each) => nameOf(child(each, "key")) === "matcher")
  const given = literalOf(matcher && child(matcher, "value"), program)
  if (given === undefined) return undefined
  const entries = given.type === "ArrayExpression" ? children(given, "elements") : [given]
  const sources = entries.map((entry) => {
    if (entry.type !== "ObjectExpression") return entry
    const source = children(entry, "properties").find((each) => nameOf(child(each, "key")) === "source")
    return source === undefined ? undefined : child(source, "value")
  })
  return sources.includes(undefined) ? undefined : sources.filter((each) => each !== undefined)
}

/** The value without a type, of a variable of the module if it is a name. */
function literalOf(value: Node | undefined, program: Program): Node | undefined {
  if (value === undefined) return undefined
  if (value.type === "Identifier") {
    const [bound, another] = bindingsOf(program, nameOf(value) ?? "")
    return another === undefined && bound?.type !== "Identifier" ? literalOf(bound, program) : undefined
  }
  return value.type.startsWith("TS") ? literalOf(child(value, "expression"), program) : value
}

/** The text of a string, also in a template without expressions. */
function textOf(node: Node): string | undefined {
  const [quasi, another] = children(node, "quasis")
  if (node.type !== "TemplateLiteral" || another !== undefined) return stringOf(node)
  return (quasi?.["value"] as { cooked?: string } | undefined)?.cooked
}
