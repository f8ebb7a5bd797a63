import { type AppFiles, findScript, readText } from "./app-files.ts"
import { applyChanges, type Change, type Edit, type Plan } from "./edit.ts"
import { child, children, exportedAs, nameOf, type Node, nodesBelow, readProgram } from "./syntax.ts"

/** Options of `Sentry.init` that turn its own tracing on. */
const TRACING = new Set(["tracesSampleRate", "tracesSampler"])
const DSN_NOTE = "Set SENTRY_DSN to the DSN of your Sentry.init: Pagespan reads it from the environment"

/**
 * An app that uses `@sentry/nextjs` keeps it, for errors and for all else that it does, without its tracing: each page load
 * would be told twice.
 */
export function quietSentry(app: AppFiles): Plan {
  if (!app.packages.has("@sentry/nextjs")) return { edits: [], notes: [] }
  const names = ["sentry.server.config", "sentry.edge.config", "sentry.client.config", "instrumentation-client"]
  const paths = names.map((name) => findScript(app, name, `src/${name}`)).filter((path) => path !== undefined)
  const edits = paths.map((path) => withoutTracing(app, path)).filter((edit) => edit !== undefined)
  return { edits, notes: paths.length === 0 ? [] : [DSN_NOTE] }
}

function withoutTracing(app: AppFiles, path: string): Edit | undefined {
  const before = readText(app.directory, path) ?? ""
  const program = readProgram(before)
  if (program === undefined) return undefined
  const changes = [...nodesBelow(program)]
    .filter((node) => isInit(node))
    .flatMap((call) => children(call, "arguments").flatMap((options) => children(options, "properties")))
    .filter((property) => TRACING.has(nameOf(child(property, "key")) ?? ""))
    .map((property) => wholeLine(property, before))
  const hook = exportedAs(program, "onRouterTransitionStart")
  if (hook?.value.type === "MemberExpression") changes.push(wholeLine(hook.statement, before))
  return changes.length === 0 ? undefined : { path, before, after: applyChanges(before, changes) }
}

function isInit(node: Node): boolean {
  if (node.type !== "CallExpression") return false
  const callee = child(node, "callee")
  return callee !== undefined && (nameOf(child(callee, "property")) ?? nameOf(callee)) === "init"
}

/** The node with its comma, and with its line where nothing else stands there. */
function wholeLine({ start, end }: Node, text: string): Change {
  const comma = /^\s*,/.exec(text.slice(end))?.[0].length ?? 0
  const after = /^[ \t]*\n/.exec(text.slice(end + comma))?.[0].length ?? 0
  const before = after > 0 ? (/[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0) : 0
  return { start: start - before, end: end + comma + after, text: "" }
}
