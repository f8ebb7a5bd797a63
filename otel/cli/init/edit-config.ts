import { type AppFiles, findScript } from "./app-files.ts"
import { Draft, leftToAuthor, NOTHING, type Plan } from "./edit.ts"
import { child, children, mentions, nameOf, type Node, nodesBelow, type Program } from "./syntax.ts"

const WRAPPER = "withPagespan"
const ENTRY = "pagespan/next"
const TASK = `wrap the exported configuration in ${WRAPPER}(…) from ${ENTRY}`
const IMPORT = `import { ${WRAPPER} } from "${ENTRY}"`
const REQUIRE = `const { ${WRAPPER} } = require("${ENTRY}")`
const OF_MODULE = [IMPORT, `export default ${WRAPPER}(nextConfig)`]
const OF_COMMON = [REQUIRE, `module.exports = ${WRAPPER}(nextConfig)`]
const RETURN = `return ${WRAPPER}(nextConfig) // where your function returns its configuration`
const OF_FUNCTION = [IMPORT, RETURN]

/** Wraps the configuration that `next.config` exports in `withPagespan`. */
export function editConfig(app: AppFiles): Plan {
  const path = findScript(app, "next.config")
  if (path === undefined) {
    const after = `${IMPORT}\n\nexport default ${WRAPPER}({})\n`
    return {
      edits: [{ path: app.isTypeScript ? "next.config.ts" : "next.config.mjs", before: undefined, after }],
      notes: [],
    }
  }
  const draft = Draft.open(app, path)
  if (draft === undefined) return { edits: [], notes: [leftToAuthor(path, TASK, OF_MODULE)] }
  const { program } = draft
  if (mentions(program, ENTRY)) return NOTHING
  const exported = exportsOf(program)
  const last = exported.at(-1)
  const lines = last?.isModule === false ? OF_COMMON : OF_MODULE
  if (last === undefined || mentions(program, WRAPPER)) return { edits: [], notes: [leftToAuthor(path, TASK, lines)] }
  const isConditional = assigned(program, isModuleExports).length > exported.length
  if (isConditional || !exported.every(({ value }) => isObject(value, program)))
    return { edits: [], notes: [leftToAuthor(path, TASK, last.isModule ? OF_FUNCTION : [REQUIRE, RETURN])] }
  draft.addImports([last.isModule ? IMPORT : REQUIRE])
  draft.wrap(last.holder, last.key, WRAPPER)
  return draft.plan(TASK, lines)
}

interface ConfigExport {
  readonly isModule: boolean
  readonly holder: Node
  readonly key: string
  readonly value: Node
}

/** `export default …` and every `module.exports = …` at the top level. */
function exportsOf({ body }: Program): ConfigExport[] {
  return body.flatMap((statement) => {
    const isModule = statement.type === "ExportDefaultDeclaration"
    const holder = isModule ? statement : child(statement, "expression")
    if (holder === undefined || !(isModule || isModuleExports(child(holder, "left")))) return []
    const key = isModule ? "declaration" : "right"
    const value = child(holder, key)
    return value === undefined ? [] : [{ isModule, holder, key, value }]
  })
}

function isModuleExports(node: Node | undefined): boolean {
  return (
    node?.type === "MemberExpression" &&
    nameOf(child(node, "object")) === "module" &&
    nameOf(child(node, "property")) === "exports"
  )
}

/** The right-hand sides of all assignments to the target, at any depth. */
function assigned(program: Program, isTarget: (node: Node | undefined) => boolean): Node[] {
  return [...nodesBelow(program)].flatMap((node) => {
    const value = node.type === "AssignmentExpression" && isTarget(child(node, "left")) && child(node, "right")
    return value ? [value] : []
  })
}

const TYPED = new Set(["TSSatisfiesExpression", "TSAsExpression", "TSNonNullExpression"])

/**
 * Whether the value is certainly an object. A function can depend on the phase, so only its author can change it. The
 * wrapper of another package is taken to return the kind of value that it gets.
 */
function isObject(value: Node | undefined, program: Program, seen: ReadonlySet<Node> = new Set()): boolean {
  if (value === undefined || seen.has(value)) return false
  const isObjectToo = (node: Node | undefined) => isObject(node, program, new Set([...seen, value]))
  if (value.type === "ObjectExpression") return true
  if (TYPED.has(value.type)) return isObjectToo(child(value, "expression"))
  if (value.type === "CallExpression") return isObjectToo(children(value, "arguments")[0])
  if (isModuleExports(value)) return exportsOf(program).length > 1
  const name = value.type === "Identifier" ? nameOf(value) : undefined
  if (name === undefined) return false
  const begun = program.body
    .flatMap((statement) => children(child(statement, "declaration") ?? statement, "declarations"))
    .filter((each) => nameOf(child(each, "id")) === name)
    .flatMap((each) => child(each, "init") ?? [])
  const values = [...begun, ...assigned(program, (target) => nameOf(target) === name)]
  // `config = withPlugin(config)` does not change the kind of value.
  return values.length > 0 && values.every((each) => isObjectToo(each) || isSelfWrapped(each, name))
}

function isSelfWrapped(value: Node, name: string): boolean {
  return value.type === "CallExpression" && nameOf(children(value, "arguments")[0]) === name
}
