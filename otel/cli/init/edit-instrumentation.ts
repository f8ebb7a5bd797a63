import { type AppFiles, findScript } from "./app-files.ts"
import { Draft, leftToAuthor, NOTHING, type Plan } from "./edit.ts"
import {
  child,
  children,
  type Exported,
  exportOf,
  isImported,
  mentions,
  nameOf,
  type Node,
  nodesBelow,
  type Program,
  statementsOf,
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
const HOOK_LINES = [
  `import { onRequestError as reportToPagespan } from "${ENTRY}"`,
  "await reportToPagespan(error, request, context) // in your onRequestError",
]
const EXPORT_BOTH = `export register and onRequestError from ${ENTRY}`

/** Adds the server's two hooks to `instrumentation`, beside existing ones. */
export function editInstrumentation(app: AppFiles): Plan {
  const path = findScript(app, `${app.base}instrumentation`)
  if (path === undefined) {
    const created = `${app.base}instrumentation.${app.isTypeScript ? "ts" : "js"}`
    return { edits: [{ path: created, before: undefined, after: `${BOTH}\n` }], notes: [] }
  }
  const draft = Draft.open(app, path)
  if (draft === undefined) return { edits: [], notes: [leftToAuthor(path, EXPORT_BOTH, [BOTH])] }
  const { program } = draft
  if (mentions(program, ENTRY)) return NOTHING
  if (isCommonJs(program)) return { edits: [], notes: [leftToAuthor(path, EXPORT_BOTH, [BOTH])] }
  const register = exportOf(program, "register")
  const hook = exportOf(program, "onRequestError")
  const hookLines = hook === undefined || isOfSentry(hook, program) ? [HOOK] : HOOK_LINES
  const task = hookLines === HOOK_LINES ? `${CALL_REGISTER}; ${CALL_HOOK}` : CALL_REGISTER
  const byHand = [...REGISTER_LINES, ...hookLines]
  if (register !== undefined && !(register.isDeclared && isExtensible(register.value, program)))
    return { edits: [], notes: [leftToAuthor(path, task, byHand)] }
  if (register === undefined) draft.append(REGISTER)
  else {
    draft.addImports([IMPORT])
    callAtEnd(draft, register.value)
  }
  if (hook === undefined) draft.append(HOOK)
  else if (isOfSentry(hook, program)) replaceStatement(draft, hook.statement)
  return draft.plan(task, byHand, hookLines === HOOK_LINES ? [leftToAuthor(path, CALL_HOOK, HOOK_LINES)] : [])
}

/** Whether the hook is Sentry's, which would report each error a second time. Any other hook belongs to the app. */
function isOfSentry(hook: Exported, program: Program): hook is Exported & { isDeclared: true } {
  return hook.isDeclared && isImported(program, hook.value, "captureRequestError", "@sentry/nextjs")
}

function isCommonJs({ body }: Program): boolean {
  const isModule = body.some(({ type }) => /^(?:Import|Export)/.test(type))
  return (
    !isModule &&
    body.some((each) => [...nodesBelow(each)].some((node) => /^(?:module|exports)$/.test(nameOf(node) ?? "")))
  )
}

/** Whether a call at the end of `register` always runs and can be awaited. */
function isExtensible(register: Node, program: Program): boolean {
  const body = child(register, "body")
  if (body?.type !== "BlockStatement" || register["generator"] === true || mentions(program, LOCAL)) return false
  const last = children(body, "body").at(-1)?.type
  if (last === "ReturnStatement" || last === "ThrowStatement") return false
  return register["async"] === true || child(register, "returnType") === undefined
}

/** Calls Pagespan's `register` after the app's own code, so that it finds the SDKs that the app starts. */
function callAtEnd(draft: Draft, register: Node): void {
  const body = child(register, "body")
  if (body === undefined) return
  const text = draft.text.slice(body.start, body.end - 1)
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  "
  const isAtLineStart = /\n[ \t]*$/.test(text)
  draft.insert(body.end - 1, `${isAtLineStart ? "" : "\n"}${indent}${CALL}\n`, () => {
    body["body"] = [...children(body, "body"), ...statementsOf(CALL)]
  })
  if (register["async"] !== true) draft.insert(register.start, "async ", () => (register["async"] = true))
}

function replaceStatement(draft: Draft, statement: Node): void {
  const { body } = draft.program
  draft.change({ start: statement.start, end: statement.end, text: HOOK }, () =>
    body.splice(body.indexOf(statement), 1, ...statementsOf(HOOK)),
  )
}
