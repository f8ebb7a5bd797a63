import { type AppFiles, findScript, newScript } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { removeTracing, TRACING, TRACING_TASK } from "./edit-sentry.ts"
import { leftToAuthor, newFile, type Note, onlyNote, type Plan } from "./edit.ts"
import {
  child,
  children,
  type Exported,
  exportOf,
  importsFrom,
  isCommonJs,
  isImported,
  mentions,
  nameOf,
  type Node,
  nodesBelow,
  type Program,
  statementsOf,
  stringOf,
} from "./syntax.ts"

const ENTRY = "pagespan/server"
const BOTH = `export { register, onRequestError } from "${ENTRY}"`
const REGISTER = `export { register } from "${ENTRY}"`
const HOOK = `export { onRequestError } from "${ENTRY}"`
const LOCAL = "registerPagespan"
const CALL = `await ${LOCAL}()`
const IMPORT = `import { register as ${LOCAL} } from "${ENTRY}"`

const CALL_REGISTER = `call register from ${ENTRY} in your register`
const REGISTER_LINES = [IMPORT, `${CALL} // at the end of your register`]
const CALL_HOOK = `call onRequestError from ${ENTRY} in your onRequestError`
const LOCAL_HOOK = "reportToPagespan"
const IMPORT_HOOK = `import { onRequestError as ${LOCAL_HOOK} } from "${ENTRY}"`
const IMPORT_BOTH = `import { onRequestError as ${LOCAL_HOOK}, register as ${LOCAL} } from "${ENTRY}"`
const HOOK_LINES = [IMPORT_HOOK, `await ${LOCAL_HOOK}(error, request, context) // in your onRequestError`]
/** The error, the request and the context. */
const HOOK_PARAMETERS = 3
const EXPORT_BOTH = `export register and onRequestError from ${ENTRY}`

/** Adds the server's two hooks to `instrumentation`, beside existing ones. */
export function editInstrumentation(app: AppFiles): Plan {
  const path = findScript(app, `${app.base}instrumentation`)
  if (path === undefined) return newFile(app, newScript(app, `${app.base}instrumentation`), `${BOTH}\n`)
  const draft = Draft.open(app, path)
  if (draft === undefined) return onlyNote(path, EXPORT_BOTH, [BOTH])
  const present = namesFromEntry(draft.program)
  const needsRegister = !present.has("register")
  const needsHook = !present.has("onRequestError")
  // Some apps call `Sentry.init` here.
  const notes = removeTracing(app, draft)
  if (!needsRegister && !needsHook) return draft.plan(TRACING_TASK, TRACING, notes)
  if (isCommonJs(draft.program)) return onlyNote(path, EXPORT_BOTH, [BOTH])
  return addHooks(draft, needsRegister, needsHook, notes)
}

function addHooks(draft: Draft, needsRegister: boolean, needsHook: boolean, others: readonly Note[]): Plan {
  const { path, program } = draft
  const register = exportOf(program, "register")
  const hook = exportOf(program, "onRequestError")
  const isOwnHook = hook !== undefined && sentryHook(hook, program) === undefined
  const hookLines = isOwnHook ? HOOK_LINES : [hook === undefined ? HOOK : `${HOOK} // instead of Sentry's`]
  const tasks = [...(needsRegister ? [CALL_REGISTER] : []), ...(needsHook && isOwnHook ? [CALL_HOOK] : [])]
  const task = tasks.join("; ") || EXPORT_BOTH
  const byHand = [...(needsRegister ? linesFor(register) : []), ...(needsHook ? hookLines : [])]
  if (needsRegister && register !== undefined && !(register.isDeclared && isExtensible(register.value, program)))
    return draft.plan(TRACING_TASK, TRACING, [leftToAuthor(path, task, byHand), ...others])
  if (needsRegister && register === undefined) draft.append(REGISTER)
  const composed = needsHook ? composable(hook, program) : undefined
  callInside(draft, needsRegister ? declared(register) : undefined, composed)
  const notes = [...(needsHook && composed === undefined ? editHook(draft, hook) : []), ...others]
  return draft.plan(task, byHand, notes)
}

function declared(exported: Exported | undefined): Node | undefined {
  return exported?.isDeclared ? exported.value : undefined
}

/** Calls Pagespan's functions inside those of the app, and imports them in one line. */
function callInside(draft: Draft, register: Node | undefined, hook: Node | undefined): void {
  if (register !== undefined) draft.addImports([hook === undefined ? IMPORT : IMPORT_BOTH])
  else if (hook !== undefined) draft.addImports([IMPORT_HOOK])
  if (register !== undefined) callAtEnd(draft, register)
  if (hook !== undefined) callAtStart(draft, hook)
}

/** Adds the hook. Sentry's would report each error a second time, so it is replaced. Any other hook belongs to the app. */
function editHook(draft: Draft, hook: Exported | undefined): Note[] {
  const ofSentry = hook && sentryHook(hook, draft.program)
  if (ofSentry !== undefined) draft.replaceStatement(ofSentry, HOOK)
  else if (hook === undefined) draft.append(HOOK)
  else return [leftToAuthor(draft.path, CALL_HOOK, HOOK_LINES)]
  return []
}

/**
 * The app's hook, if Pagespan's can be called at its start, with the same values, and be awaited. Types that the app gives its
 * parameters may be narrower than those of Next.
 */
function composable(hook: Exported | undefined, program: Program): Node | undefined {
  const value = declared(hook)
  if (value === undefined || mentions(program, LOCAL_HOOK)) return undefined
  const parameters = children(value, "params").slice(0, HOOK_PARAMETERS)
  if (child(value, "body")?.type !== "BlockStatement" || value["generator"] === true) return undefined
  if (parameters.length < HOOK_PARAMETERS || !parameters.every(isPlainParameter)) return undefined
  return value["async"] === true || child(value, "returnType") === undefined ? value : undefined
}

function isPlainParameter(parameter: Node): boolean {
  return parameter.type === "Identifier" && child(parameter, "typeAnnotation") === undefined
}

function callAtStart(draft: Draft, hook: Node): void {
  const body = child(hook, "body")
  if (body === undefined) return
  const names = children(hook, "params").slice(0, HOOK_PARAMETERS).map(nameOf)
  const call = `await ${LOCAL_HOOK}(${names.join(", ")})`
  const [first] = children(body, "body")
  const outer = draft.indentAt(hook.start)
  const isBelow = /^[ \t]*\n/.test(draft.text.slice(body.start + 1).replaceAll("\r", ""))
  const indent = first === undefined || !isBelow ? `${outer}${draft.style.indent}` : draft.indentAt(first.start)
  const after = isBelow ? "" : `\n${first === undefined ? outer : indent}`
  draft.insert(body.start + 1, `\n${indent}${draft.code(call)}${after}`, () => {
    body["body"] = [...statementsOf(call), ...children(body, "body")]
  })
  if (hook["async"] !== true) draft.insert(hook.start, "async ", () => (hook["async"] = true))
}

/** What the module imports or exports of Pagespan's entry. A dynamic import or `require` counts as both hooks. */
function namesFromEntry(program: Program): ReadonlySet<string> {
  const exported = program.body.filter(
    (statement) => statement.type.startsWith("Export") && stringOf(child(statement, "source")) === ENTRY,
  )
  const specifiers = [...importsFrom(program, ENTRY), ...exported.flatMap((each) => children(each, "specifiers"))]
  const names = specifiers.flatMap((each) => nameOf(child(each, "imported") ?? child(each, "local")) ?? [])
  const isDynamic = specifiers.length === 0 && mentions(program, ENTRY)
  const isWhole = specifiers.some(({ type }) => type === "ImportNamespaceSpecifier")
  return new Set(isDynamic || isWhole ? ["register", "onRequestError"] : names)
}

/** The statement that exports Sentry's hook and nothing else. */
function sentryHook(hook: Exported, program: Program): Node | undefined {
  if (hook.isDeclared)
    return isImported(program, hook.value, "captureRequestError", "@sentry/nextjs") ? hook.statement : undefined
  return program.body.find((statement) => {
    const [specifier, another] = children(statement, "specifiers")
    return (
      statement.type === "ExportNamedDeclaration" &&
      another === undefined &&
      stringOf(child(statement, "source")) === "@sentry/nextjs" &&
      nameOf(specifier && child(specifier, "local")) === "captureRequestError" &&
      nameOf(specifier && child(specifier, "exported")) === "onRequestError"
    )
  })
}

/** Lines to paste for a `register` that only its author can change. */
function linesFor(register: Exported | undefined): string[] {
  if (register === undefined || register.isDeclared || register.source === undefined) return REGISTER_LINES
  const { source, name } = register
  return [
    `import { ${name === "register" ? "register as registerApp" : `${name} as registerApp`} } from "${source}"`,
    IMPORT,
    "export async function register() { // instead of your export of register",
    "  await registerApp()",
    `  ${CALL}`,
    "}",
  ]
}

/** Whether a call at the end of `register` always runs and can be awaited. */
function isExtensible(register: Node, program: Program): boolean {
  const body = child(register, "body")
  if (body?.type !== "BlockStatement" || register["generator"] === true || mentions(program, LOCAL)) return false
  const statements = children(body, "body")
  if (statements.at(-1)?.type === "ThrowStatement" || statements.some(canReturn)) return false
  return register["async"] === true || child(register, "returnType") === undefined
}

/** Whether the statement can return from the function in Node.js, where Pagespan runs. A return for another runtime may stay. */
function canReturn(statement: Node): boolean {
  if (statement.type === "IfStatement" && isRuntimeCheck(child(statement, "test"))) {
    const alternate = child(statement, "alternate")
    return alternate !== undefined && canReturn(alternate)
  }
  return [...nodesBelow(statement)].some((node) => node.type === "ReturnStatement" && !isInFunction(statement, node))
}

/** Whether the condition is a comparison that holds in other runtimes alone. */
function isRuntimeCheck(test: Node | undefined): boolean {
  if (test === undefined) return false
  const nodes = [...nodesBelow(test)]
  const compared = nodes.find(({ type }) => type === "BinaryExpression")
  const runtime = nodes.map(stringOf).find((text) => text !== undefined)
  const isNegated = compared?.["operator"] === "!==" || compared?.["operator"] === "!="
  return (
    nodes.some((node) => nameOf(node) === "NEXT_RUNTIME") &&
    !nodes.some(({ type }) => type === "LogicalExpression" || type === "UnaryExpression") &&
    (isNegated ? runtime === "nodejs" : runtime === "edge")
  )
}

function isInFunction(outer: Node, inner: Node): boolean {
  return [...nodesBelow(outer)].some(
    (node) => /Function|Method/.test(node.type) && node.start <= inner.start && node.end >= inner.end,
  )
}

/** Calls Pagespan's `register` after the app's own code, so that it finds the SDKs that the app starts. */
function callAtEnd(draft: Draft, register: Node): void {
  const body = child(register, "body")
  if (body === undefined) return
  const text = draft.text.slice(body.start, body.end - 1)
  const outer = draft.indentAt(register.start)
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? `${outer}${draft.style.indent}`
  const isAtLineStart = /\n[ \t]*$/.test(text)
  const tail = /(?<![ \t])[ \t]*$/.exec(text)?.[0].length ?? 0
  const at = body.end - 1 - tail
  const before = isAtLineStart ? "" : "\n"
  draft.change({ start: at, end: body.end - 1, text: `${before}${indent}${draft.code(CALL)}\n${outer}` }, () => {
    body["body"] = [...children(body, "body"), ...statementsOf(CALL)]
  })
  if (register["async"] !== true) draft.insert(register.start, "async ", () => (register["async"] = true))
}
