import { type AppFiles, findScript, readText } from "./app-files.ts"
import { applyChanges, type Change, type Plan } from "./edit.ts"
import { addImports, child, children, nameOf, type Node, readProgram } from "./syntax.ts"

const WRAPPER = "withPagespan"
const BY_HAND = "wrap what it exports in withPagespan(…) from pagespan/next by hand"
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])

/** `next.config`: what it exports goes through `withPagespan`. */
export function editConfig(app: AppFiles): Plan {
  const path = findScript(app, "next.config")
  if (path === undefined) {
    const after = `import { withPagespan } from "pagespan/next"\n\nexport default withPagespan({})\n`
    return {
      edits: [{ path: app.isTypeScript ? "next.config.ts" : "next.config.mjs", before: undefined, after }],
      notes: [],
    }
  }
  const before = readText(app.directory, path) ?? ""
  if (before.includes(WRAPPER)) return { edits: [], notes: [] }
  const changes = wrapExport(before)
  if (changes === undefined) return { edits: [], notes: [`${path}: ${BY_HAND}`] }
  return { edits: [{ path, before, after: applyChanges(before, changes) }], notes: [] }
}

function wrapExport(text: string): Change[] | undefined {
  const program = readProgram(text)
  if (program === undefined) return undefined
  for (const statement of program.body) {
    const isModule = statement.type === "ExportDefaultDeclaration"
    const value = isModule ? child(statement, "declaration") : commonExport(statement)
    if (value === undefined) continue
    if (isFunction(value, program.body)) return undefined
    const requires = `const { ${WRAPPER} } = require("pagespan/next")`
    return [
      isModule
        ? addImports(program, [`import { ${WRAPPER} } from "pagespan/next"`])
        : { start: program.body[0]?.start ?? 0, end: program.body[0]?.start ?? 0, text: `${requires}\n\n` },
      { start: value.start, end: value.start, text: `${WRAPPER}(` },
      { start: value.end, end: value.end, text: ")" },
    ]
  }
  return undefined
}

/** The right side of `module.exports = …`. */
function commonExport(statement: Node): Node | undefined {
  const assignment = child(statement, "expression")
  const target = assignment && child(assignment, "left")
  const isExports =
    target && nameOf(child(target, "object")) === "module" && nameOf(child(target, "property")) === "exports"
  return isExports ? child(assignment, "right") : undefined
}

/** A configuration that depends on the phase is a function, into which only its author can put this. */
function isFunction(value: Node, body: readonly Node[]): boolean {
  if (FUNCTIONS.has(value.type)) return true
  const name = nameOf(value)
  if (name === undefined) return false
  return body.some(
    (statement) =>
      (statement.type === "FunctionDeclaration" && nameOf(child(statement, "id")) === name) ||
      children(statement, "declarations").some(
        (each) => nameOf(child(each, "id")) === name && FUNCTIONS.has(child(each, "init")?.type ?? ""),
      ),
  )
}
