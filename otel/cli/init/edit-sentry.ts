import { type AppFiles, findScript } from "./app-files.ts"
import { Draft, leftToAuthor, NOTHING, type Plan } from "./edit.ts"
import { child, children, exportOf, isImported, nameOf, type Node, nodesBelow } from "./syntax.ts"

/** The options of `Sentry.init` that enable Sentry's own tracing. */
const TRACING = ["tracesSampleRate", "tracesSampler"]
const TASK = "remove these options from Sentry.init"
const DSN_NOTE = "Set SENTRY_DSN to the DSN of your Sentry.init: Pagespan reads it from the environment"

/**
 * Disables the tracing of an app's `@sentry/nextjs`, which would report each page load a second time. Errors and everything
 * else that it does stay on.
 */
export function disableSentryTracing(app: AppFiles): Plan {
  if (!app.packages.has("@sentry/nextjs")) return NOTHING
  const names = ["sentry.server.config", "sentry.edge.config", "sentry.client.config", "instrumentation-client"]
  const paths = names.map((name) => findScript(app, name, `src/${name}`)).filter((path) => path !== undefined)
  if (paths.length === 0) return NOTHING
  const plans = paths.map((path) => withoutTracing(app, path))
  return { edits: plans.flatMap(({ edits }) => edits), notes: [...plans.flatMap(({ notes }) => notes), DSN_NOTE] }
}

function withoutTracing(app: AppFiles, path: string): Plan {
  const draft = Draft.open(app, path)
  if (draft === undefined) return { edits: [], notes: [leftToAuthor(path, TASK, TRACING)] }
  const { program } = draft
  for (const call of [...nodesBelow(program)].filter((node) => isInit(node)))
    for (const options of children(call, "arguments"))
      for (const property of children(options, "properties"))
        if (TRACING.includes(nameOf(child(property, "key")) ?? "")) removeFrom(draft, options, "properties", property)
  const hook = exportOf(program, "onRouterTransitionStart")
  if (hook?.isDeclared && isImported(program, hook.value, "captureRouterTransitionStart", "@sentry/nextjs"))
    removeFrom(draft, program, "body", hook.statement)
  return draft.plan(TASK, TRACING)
}

function isInit(node: Node): boolean {
  if (node.type !== "CallExpression") return false
  const callee = child(node, "callee")
  return callee !== undefined && (nameOf(child(callee, "property")) ?? nameOf(callee)) === "init"
}

/** Removes the node, its comma, and its line if nothing else is on it. */
function removeFrom(draft: Draft, holder: Node, key: string, node: Node): void {
  const { text } = draft
  const comma = /^\s*,/.exec(text.slice(node.end))?.[0].length ?? 0
  const after = /^[ \t]*\r?\n/.exec(text.slice(node.end + comma))?.[0].length ?? 0
  const before = after > 0 ? (/(?<![ \t])[ \t]*$/.exec(text.slice(0, node.start))?.[0].length ?? 0) : 0
  draft.change({ start: node.start - before, end: node.end + comma + after, text: "" }, () => {
    holder[key] = children(holder, key).filter((each) => each !== node)
  })
}
