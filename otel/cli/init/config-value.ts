import { bindingsOf, child, children, nameOf, type Node, nodesBelow, type Program } from "./syntax.ts"

/** What a `next.config` exports: where, of which kind, and of which type. */

export const CONFIG_TYPE = "NextConfig"

export interface ConfigExport {
  readonly isModule: boolean
  readonly holder: Node
  readonly key: string
  readonly value: Node
}

/** `export default …` and every `module.exports = …` at the top level. */
export function exportsOf({ body }: Program): ConfigExport[] {
  return body.flatMap((statement) => {
    const isModule = statement.type === "ExportDefaultDeclaration"
    const holder = isModule ? statement : child(statement, "expression")
    if (holder === undefined || !(isModule || isModuleExports(child(holder, "left")))) return []
    const key = isModule ? "declaration" : "right"
    const value = child(holder, key)
    return value === undefined ? [] : [{ isModule, holder, key, value }]
  })
}

export function isModuleExports(node: Node | undefined): boolean {
  return (
    node?.type === "MemberExpression" &&
    nameOf(child(node, "object")) === "module" &&
    nameOf(child(node, "property")) === "exports"
  )
}

/** The right-hand sides of all assignments to the target, at any depth. */
export function assigned(program: Program, isTarget: (node: Node | undefined) => boolean): Node[] {
  return [...nodesBelow(program)].flatMap((node) => {
    const value = node.type === "AssignmentExpression" && isTarget(child(node, "left")) && child(node, "right")
    return value ? [value] : []
  })
}

const TYPED = new Set(["TSSatisfiesExpression", "TSAsExpression", "TSNonNullExpression"])
const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"])

/**
 * Whether the value is certainly a configuration: an object or a function, and no promise. The wrapper of another package
 * is taken to return the kind of value that it gets.
 */
export function isConfig(value: Node | undefined, program: Program, seen: ReadonlySet<Node> = new Set()): boolean {
  if (value === undefined || seen.has(value)) return false
  const isConfigToo = (node: Node | undefined) => isConfig(node, program, new Set([...seen, value]))
  if (value.type === "ObjectExpression" || FUNCTIONS.has(value.type)) return value["generator"] !== true
  if (TYPED.has(value.type)) return isConfigToo(child(value, "expression"))
  if (value.type === "ConditionalExpression")
    return isConfigToo(child(value, "consequent")) && isConfigToo(child(value, "alternate"))
  if (value.type === "CallExpression")
    return !canReturnPromise(child(value, "callee"), program) && isConfigToo(children(value, "arguments")[0])
  if (isModuleExports(value)) return exportsOf(program).length > 1
  const name = value.type === "Identifier" ? nameOf(value) : undefined
  if (name === undefined) return false
  const values = [...bindingsOf(program, name), ...assigned(program, (target) => nameOf(target) === name)]
  // `config = withPlugin(config)` does not change the kind of value.
  return values.length > 0 && values.every((each) => isConfigToo(each) || isSelfWrapped(each, name))
}

function isSelfWrapped(value: Node, name: string): boolean {
  return value.type === "CallExpression" && nameOf(children(value, "arguments")[0]) === name
}

/** A method of `Promise`, a function that is called in place, or an async function of the file. */
function canReturnPromise(callee: Node | undefined, program: Program): boolean {
  if (callee === undefined || FUNCTIONS.has(callee.type)) return true
  if (nameOf(child(callee, "object")) === "Promise") return true
  return bindingsOf(program, nameOf(callee) ?? "").some((each) => each["async"] === true)
}

/**
 * What makes the value fit the parameter of `withPagespan`: TypeScript widens `{ output: "standalone" }` of a variable
 * without a type to `{ output: string }`, which is no `NextConfig`.
 *
 * @returns a type to assert, `""` if the value has one, `undefined` if only the author can add one.
 */
export function assertionFor(value: Node, program: Program): "" | typeof CONFIG_TYPE | undefined {
  // The parameter's type applies to a literal in its place, and to what a function returns there.
  if (value.type === "ObjectExpression") return ""
  if (FUNCTIONS.has(value.type)) return isTypedFunction(value, program) ? "" : undefined
  if (value.type === "CallExpression") {
    const [first] = children(value, "arguments")
    const inner = first?.type === "ObjectExpression" ? CONFIG_TYPE : first && assertionFor(first, program)
    return first !== undefined && FUNCTIONS.has(first.type) ? undefined : inner
  }
  if (TYPED.has(value.type)) return isConstAssertion(value) ? CONFIG_TYPE : ""
  if (value.type === "ConditionalExpression") {
    const branches = [child(value, "consequent"), child(value, "alternate")]
    const needed = new Set(branches.map((each) => each && assertionFor(each, program)))
    return needed.has(undefined) ? undefined : needed.has(CONFIG_TYPE) ? CONFIG_TYPE : ""
  }
  const name = nameOf(value) ?? ""
  const isTyped = [...nodesBelow(program)].some(
    (node) =>
      node.type === "VariableDeclarator" && nameOf(child(node, "id")) === name && isTypedVariable(node, program),
  )
  if (isTyped) return ""
  const values = bindingsOf(program, name)
  if (values.some(({ type }) => FUNCTIONS.has(type)))
    return values.every((each) => child(each, "returnType") !== undefined) ? "" : undefined
  return CONFIG_TYPE
}

function isConstAssertion(value: Node): boolean {
  const type = child(value, "typeAnnotation")
  return value.type === "TSAsExpression" && nameOf(type && child(type, "typeName")) === "const"
}

function isTypedVariable(declarator: Node, program: Program): boolean {
  const id = child(declarator, "id")
  const value = child(declarator, "init")
  if (id !== undefined && child(id, "typeAnnotation") !== undefined) return true
  const comments = children(program, "body").flatMap((statement) => children(statement, "leadingComments"))
  if (comments.some((each) => /@type\b/.test(String(each["value"])) && each.end <= declarator.start)) return true
  return value !== undefined && TYPED.has(value.type) && !isConstAssertion(value)
}

/** Whether each value that the function returns gets its type from the place, or has one. */
function isTypedFunction(value: Node, program: Program): boolean {
  if (child(value, "returnType") !== undefined) return true
  const body = child(value, "body")
  if (body === undefined) return false
  const returned =
    body.type === "BlockStatement"
      ? [...nodesBelow(body)].filter(({ type }) => type === "ReturnStatement").map((each) => child(each, "argument"))
      : [body]
  return returned.every((each) => each !== undefined && assertionFor(each, program) === "")
}
