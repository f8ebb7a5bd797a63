import { type AppFiles, findScript, resolveImport } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { joined, leftToAuthor, type Note, onlyNote, type Plan } from "./edit.ts"
import {
  bindingsOf,
  child,
  children,
  mentions,
  nameOf,
  type Node,
  nodesBelow,
  type Program,
  stringOf,
} from "./syntax.ts"

/** The options of `Sentry.init` that enable Sentry's own tracing. */
export const TRACING = ["tracesSampleRate", "tracesSampler"]
export const TRACING_TASK = "remove these options from Sentry.init"
/** Next runs it in pages before they hydrate. */
export const CLIENT_FILE = "instrumentation-client"
const SERVER_FILES = ["sentry.server.config", "sentry.edge.config"]
const PAGE_FILES = ["sentry.client.config", CLIENT_FILE]

/**
 * Disables the tracing of an app's `@sentry/nextjs`, which would report each page load a second time. Errors and everything
 * else that it does stay on. `edit-instrumentation.ts` and `edit-instrumentation-client.ts` do it in their own files.
 */
export function disableSentryTracing(app: AppFiles): Plan {
  const client = pathOf(app, CLIENT_FILE)
  const paths = sentryFiles(app).filter((path) => path !== client)
  return joined(paths.map((path) => withoutTracing(app, path)))
}

/**
 * The files in which an app with `@sentry/nextjs` calls `Sentry.init`: those that Sentry's SDK or Next takes by their names, and
 * what they import.
 *
 * @param names of files without extension. Default: all of them.
 */
export function sentryFiles(app: AppFiles, names: readonly string[] = [...SERVER_FILES, ...PAGE_FILES]): string[] {
  if (!app.packages.has("@sentry/nextjs")) return []
  const paths = names.flatMap((name) => pathOf(app, name) ?? [])
  return [...new Set([...paths, ...paths.flatMap((path) => importedSetups(app, path))])]
}

/** Whether pages have a Sentry client of the app's own. */
export function hasSentryInPages(app: AppFiles): boolean {
  return sentryFiles(app, PAGE_FILES).some((path) => callsInit(app, path))
}

/** The files of the app that a file imports, and that call `Sentry.init`. */
function importedSetups(app: AppFiles, path: string): string[] {
  const program = Draft.open(app, path)?.program
  const sources = program === undefined ? [] : [...nodesBelow(program)].flatMap((node) => stringOf(node) ?? [])
  const imported = sources.flatMap((source) => resolveImport(app, path, source) ?? [])
  return imported.filter((file) => mentionsSentry(app, file) && callsInit(app, file))
}

function mentionsSentry(app: AppFiles, path: string): boolean {
  const program = Draft.open(app, path)?.program
  return program !== undefined && mentions(program, "@sentry/nextjs")
}

function callsInit(app: AppFiles, path: string): boolean {
  const program = Draft.open(app, path)?.program
  return program !== undefined && [...nodesBelow(program)].some(isInit)
}

function pathOf(app: AppFiles, name: string): string | undefined {
  return findScript(app, name, `src/${name}`)
}

function withoutTracing(app: AppFiles, path: string): Plan {
  const draft = Draft.open(app, path)
  if (draft === undefined) return onlyNote(path, TRACING_TASK, TRACING)
  const notes = removeTracing(app, draft)
  return draft.plan(TRACING_TASK, TRACING, notes)
}

/** Removes the options of each `init` in the file. Returns notes about options that come from other files. */
export function removeTracing(app: AppFiles, draft: Draft): Note[] {
  if (!app.packages.has("@sentry/nextjs")) return []
  const { program } = draft
  const notes: Note[] = []
  for (const options of initOptions(program)) {
    const literals = literalsOf(options, program)
    for (const { holder, property } of literals.flatMap(tracingIn)) draft.remove(holder, "properties", property)
    notes.push(...elsewhere(app, draft, [options, ...literals]))
  }
  return [...new Set(notes)]
}

/** The arguments of each `init` in the file. */
function initOptions(program: Program): Node[] {
  return [...nodesBelow(program)].filter(isInit).flatMap((call) => children(call, "arguments"))
}

/** The options in the file that enable Sentry's tracing. */
export function tracingOptions(program: Program): Node[] {
  const literals = initOptions(program).flatMap((options) => literalsOf(options, program))
  return literals.flatMap(tracingIn).map(({ property }) => property)
}

function isInit(node: Node): boolean {
  if (node.type !== "CallExpression") return false
  const callee = child(node, "callee")
  return callee !== undefined && (nameOf(child(callee, "property")) ?? nameOf(callee)) === "init"
}

/** The object literals that make up the options, those of variables and of spreads included. */
function literalsOf(options: Node, program: Program, seen: ReadonlySet<Node> = new Set()): Node[] {
  if (seen.has(options)) return []
  const next = (node: Node | undefined) =>
    node === undefined ? [] : literalsOf(node, program, new Set([...seen, options]))
  if (options.type === "Identifier") return bindingsOf(program, nameOf(options) ?? "").flatMap(next)
  if (options.type !== "ObjectExpression") return next(child(options, "expression"))
  const spread = children(options, "properties").filter(({ type }) => type === "SpreadElement")
  return [options, ...spread.flatMap((each) => next(child(each, "argument")))]
}

function tracingIn(holder: Node): { holder: Node; property: Node }[] {
  return children(holder, "properties")
    .filter((property) => {
      const key = child(property, "key")
      return TRACING.includes(nameOf(key) ?? stringOf(key) ?? "")
    })
    .map((property) => ({ holder, property }))
}

/** Notes about options that come from another file of the app, if that file enables tracing. */
function elsewhere(app: AppFiles, { program, path }: Draft, parts: readonly Node[]): Note[] {
  const names = new Set(parts.flatMap((part) => [...nodesBelow(part)].flatMap((node) => nameOf(node) ?? [])))
  return program.body.flatMap((statement) => {
    const local = children(statement, "specifiers").map((each) => nameOf(child(each, "local")) ?? "")
    if (statement.type !== "ImportDeclaration" || !local.some((name) => names.has(name))) return []
    const target = resolveImport(app, path, stringOf(child(statement, "source")) ?? "")
    const imported = target === undefined ? undefined : Draft.open(app, target)?.program
    const isOn = imported !== undefined && TRACING.some((option) => mentions(imported, option))
    return target !== undefined && isOn ? [leftToAuthor(target, TRACING_TASK, TRACING)] : []
  })
}
