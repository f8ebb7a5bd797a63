import { parse } from "@babel/parser"

/** A node of Babel's syntax tree, with the fields that are used here. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  [key: string]: unknown
}

export interface Program extends Node {
  readonly body: Node[]
}

/** A file's statements and its comments. */
export interface Module {
  readonly program: Program
  readonly comments: Node[]
}

/**
 * Parses a script. Every `start` and `end` is a position in this text, whatever its tabs and line endings; tools that
 * normalize the text first give positions that are wrong for the file.
 *
 * @param path its extension decides whether JSX is allowed.
 * @returns `undefined` for a text that cannot be parsed.
 */
export function parseScript(text: string, path: string): Module | undefined {
  try {
    const plugins = /\.[cm]?ts$/.test(path) ? (["typescript"] as const) : (["typescript", "jsx"] as const)
    return parse(text, { sourceType: "unambiguous", plugins: [...plugins, "decorators"] }) as unknown as Module
  } catch {
    return undefined
  }
}

/** Parses code that this package contains. */
export function parseCode(code: string): Module {
  return parse(code, { sourceType: "module", plugins: ["typescript", "jsx"] }) as unknown as Module
}

/** The statements of code that this package contains. */
export function statementsOf(code: string): Node[] {
  return parseCode(code).program.body
}

/** The expression of code that this package contains. */
export function expressionOf(code: string): Node {
  const expression = child(statementsOf(`(${code})`)[0] as Node, "expression")
  if (expression === undefined) throw new Error(`${code} is no expression`)
  return expression
}

/** Fields that do not change the meaning of a node. */
const ASIDE = new Set(["start", "end", "loc", "extra", "sourceType", "errors", "tokens", "comments"])
const ATTACHED = new Set(["leadingComments", "innerComments", "trailingComments"])

/** Whether two modules have equal statements and comments, whatever their formatting. */
export function isSameModule(one: Module, other: Module): boolean {
  const [first, second] = [one, other].map(({ program, comments }) =>
    JSON.stringify([program, comments.map(({ type, value }) => [type, value])], (key, value: unknown) => {
      if (ASIDE.has(key) || ATTACHED.has(key)) return undefined
      if (key === "children" && Array.isArray(value)) return renderedChildren(value as Node[])
      return isNode(value) ? withSortedKeys(value) : value
    }),
  )
  return first === second
}

/** Without the flags that only some kinds of node have, where they say no. */
function withSortedKeys(node: Node): unknown {
  const entries = Object.entries(node).filter(([, value]) => value !== false && value !== null)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Children as JSX renders them: without blank lines and without white space around line breaks. */
function renderedChildren(nodes: readonly Node[]): unknown[] {
  return nodes.flatMap((node): unknown[] => {
    if (node.type !== "JSXText") return [node]
    const lines = String(node["value"]).split(/\r\n|\n|\r/)
    const trimmed = lines.map((line, index) => {
      const begun = index === 0 ? line : line.replace(/^[ \t]+/, "")
      return index === lines.length - 1 ? begun : begun.replace(/(?<![ \t])[ \t]+$/, "")
    })
    const text = trimmed.filter((line) => line !== "").join(" ")
    return text === "" ? [] : [text]
  })
}

/** A node and all its descendants. */
export function* nodesBelow(node: Node): Generator<Node> {
  yield node
  for (const [key, value] of Object.entries(node)) {
    if (ASIDE.has(key) || ATTACHED.has(key)) continue
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) yield* nodesBelow(child)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
}

export function child(node: Node, key: string): Node | undefined {
  const value = node[key]
  return isNode(value) ? value : undefined
}

export function children(node: Node, key: string): readonly Node[] {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}

export function nameOf(node: Node | undefined): string | undefined {
  const name = node?.["name"]
  return typeof name === "string" ? name : undefined
}

/** Whether the code contains the name or the string. Comments do not count. */
export function mentions(code: Node, word: string): boolean {
  return [...nodesBelow(code)].some((node) => nameOf(node) === word || stringOf(node) === word)
}

export function stringOf(node: Node | undefined): string | undefined {
  return node?.type === "StringLiteral" ? String(node["value"]) : undefined
}

/** The functions and initial values that are declared with the name, at any depth. */
export function bindingsOf(program: Program, name: string): Node[] {
  return [...nodesBelow(program)].flatMap((node) => {
    if (nameOf(child(node, "id")) !== name) return []
    if (node.type === "FunctionDeclaration") return [node]
    return node.type === "VariableDeclarator" ? (child(node, "init") ?? []) : []
  })
}

/** The export of the package that a local name is bound to, `*` for its namespace, `undefined` for a type. */
export function importedName(program: Program, local: string, from: string): string | undefined {
  const specifier = importsFrom(program, from).find((each) => nameOf(child(each, "local")) === local)
  return specifier?.type === "ImportNamespaceSpecifier" ? "*" : nameOf(specifier && child(specifier, "imported"))
}

/** The specifiers of imports from the package, of values alone or of types too. */
export function importsFrom({ body }: Program, from: string, withTypes = false): Node[] {
  const isWanted = (node: Node) => withTypes || node["importKind"] !== "type"
  return body
    .filter((statement) => statement.type === "ImportDeclaration" && isWanted(statement))
    .filter((statement) => stringOf(child(statement, "source")) === from)
    .flatMap((statement) => children(statement, "specifiers"))
    .filter(isWanted)
}

/** Whether the value is the package's export of that name: `Package.name` or `name`. */
export function isImported(program: Program, value: Node, name: string, from: string): boolean {
  if (value.type === "Identifier") return importedName(program, nameOf(value) ?? "", from) === name
  const isNamespace = importedName(program, nameOf(child(value, "object")) ?? "", from) === "*"
  return isNamespace && value.type === "MemberExpression" && nameOf(child(value, "property")) === name
}

/** A module's export of a name: declared in place, or in a form that only its author should change. */
export type Exported =
  | { readonly isDeclared: true; readonly statement: Node; readonly value: Node }
  | { readonly isDeclared: false; readonly source: string | undefined; readonly name: string | undefined }

/** `undefined` if the module does not export the name. With `export *`, every name counts as exported. */
export function exportOf({ body }: Program, name: string): Exported | undefined {
  const elsewhere: Exported = { isDeclared: false, source: undefined, name: undefined }
  let found: Exported | undefined
  for (const statement of body) {
    if (statement.type === "ExportAllDeclaration") found ??= elsewhere
    if (statement.type !== "ExportNamedDeclaration") continue
    const declaration = child(statement, "declaration")
    const variables = declaration === undefined ? [] : children(declaration, "declarations")
    const variable = variables.find((each) => nameOf(child(each, "id")) === name)
    const value = variable === undefined ? declaration : child(variable, "init")
    const isFunction = declaration !== undefined && nameOf(child(declaration, "id")) === name
    if (isFunction || (variable !== undefined && variables.length === 1))
      return value === undefined ? elsewhere : { isDeclared: true, statement, value }
    const specifier = children(statement, "specifiers").find((each) => {
      const exported = child(each, "exported")
      return nameOf(exported) === name || stringOf(exported) === name
    })
    const patterns = variables.flatMap((each) => [...nodesBelow(child(each, "id") ?? each)])
    if (specifier !== undefined)
      return {
        isDeclared: false,
        source: stringOf(child(statement, "source")),
        name: nameOf(child(specifier, "local")),
      }
    if (patterns.some((each) => nameOf(each) === name)) return elsewhere
  }
  return found
}

/** The local names of imports that nothing refers to. An import for its side effects has none. */
export function unusedImports({ body }: Program): Set<string> {
  const imported = body
    .filter(({ type }) => type === "ImportDeclaration")
    .flatMap((statement) => children(statement, "specifiers"))
    .flatMap((each) => nameOf(child(each, "local")) ?? [])
  const used = new Set(
    body
      .filter(({ type }) => type !== "ImportDeclaration")
      .flatMap((statement) => [...nodesBelow(statement)].flatMap((node) => nameOf(node) ?? [])),
  )
  return new Set(imported.filter((name) => !used.has(name)))
}

export function isCommonJs({ body }: Program): boolean {
  const isModule = body.some(({ type }) => /^(?:Import|Export)/.test(type))
  return (
    !isModule &&
    body.some((each) => [...nodesBelow(each)].some((node) => /^(?:module|exports)$/.test(nameOf(node) ?? "")))
  )
}
