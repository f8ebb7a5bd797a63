import { type AppFiles, findScript, readText } from "./app-files.ts"
import { applyChanges, type Change, type Plan } from "./edit.ts"
import { addImports, child, exportedAs, type Node, readProgram } from "./syntax.ts"

const ENTRY = "pagespan/server"
const BOTH = `export { register, onRequestError } from "${ENTRY}"\n`
const HOOK = `export { onRequestError } from "${ENTRY}"`

/** `instrumentation`: the server's two hooks, beside those that are there. */
export function editInstrumentation(app: AppFiles): Plan {
  const path = findScript(app, `${app.base}instrumentation`)
  if (path === undefined) {
    const created = `${app.base}instrumentation.${app.isTypeScript ? "ts" : "js"}`
    return { edits: [{ path: created, before: undefined, after: BOTH }], notes: [] }
  }
  const before = readText(app.directory, path) ?? ""
  if (before.includes(ENTRY)) return { edits: [], notes: [] }
  const program = readProgram(before)
  const register = program && exportedAs(program, "register")
  if (program === undefined)
    return { edits: [], notes: [`${path}: export register and onRequestError of ${ENTRY} by hand`] }
  const hook = exportedAs(program, "onRequestError")
  const notes =
    hook !== undefined && isOwn(hook.value) ? [`${path}: call onRequestError of ${ENTRY} in yours, by hand`] : []
  const changes: Change[] = []
  if (register === undefined) changes.push(append(before, `export { register } from "${ENTRY}"`))
  else {
    changes.push(addImports(program, [`import { register as registerPagespan } from "${ENTRY}"`]))
    changes.push(...callAtEnd(register.value, before))
  }
  if (hook === undefined) changes.push(append(before, HOOK))
  else if (notes.length === 0) changes.push({ start: hook.statement.start, end: hook.statement.end, text: HOOK })
  return { edits: [{ path, before, after: applyChanges(before, changes) }], notes }
}

/** A hook of the app's own, and not another SDK's, which would report each error a second time. */
function isOwn({ type }: Node): boolean {
  return type !== "MemberExpression" && type !== "Identifier"
}

function append(text: string, line: string): Change {
  return { start: text.length, end: text.length, text: `${text.endsWith("\n") ? "" : "\n"}\n${line}\n` }
}

/** After the app's own: what it starts is there then. */
function callAtEnd(register: Node, text: string): Change[] {
  const body = child(register, "body")
  if (body?.type !== "BlockStatement") return []
  const indent = /\n([ \t]+)\S/.exec(text.slice(body.start, body.end))?.[1] ?? "  "
  const isOneLine = !text.slice(body.start, body.end).includes("\n")
  const call = {
    start: body.end - 1,
    end: body.end - 1,
    text: `${isOneLine ? "\n" : ""}${indent}await registerPagespan()\n`,
  }
  return register["async"] === true ? [call] : [{ start: register.start, end: register.start, text: "async " }, call]
}
