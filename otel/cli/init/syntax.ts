import { parse } from "@babel/parser"

/** A node of the syntax tree, as Babel names them. Only what is looked at here. */
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
  readonly comments: readonly Node[]
}

/**
 * Parses a script as it lies on the disk: every `start` and `end` is a place in this very text, whatever its tabs and its
 * line ends are. Printers that normalize the text first give places that are wrong for the file.
 *
 * @param path its extension says whether JSX may be in it.
 * @returns `undefined` where the text is no script that is known here.
 */
export function parseScript(text: string, path: string): Module | undefined {
  try {
    const plugins = /\.[cm]?ts$/.test(path) ? (["typescript"] as const) : (["typescript", "jsx"] as const)
    return parse(text, { sourceType: "unambiguous", plugins: [...plugins, "decorators"] }) as unknown as Module
  } catch {
    return undefined
  }
}

/** The statements of a text that this package itself holds. */
export function statementsOf(code: string): Node[] {
  return parse(code, { sourceType: "module", plugins: ["typescript", "jsx"] }).program.body as unknown as Node[]
}

/** Where a node is and what is said about it, which is not what it means. */
const ASIDE = new Set(["start", "end", "loc", "extra", "sourceType", "errors", "tokens", "comments"])
const ATTACHED = new Set(["leadingComments", "innerComments", "trailingComments"])

/** Whether two modules say the same, in statements and in comments. Their form does not count. */
export function isSameModule(one: Module, other: Module): boolean {
  const [first, second] = [one, other].map(({ program, comments }) =>
    JSON.stringify([program, comments.map(({ type, value }) => [type, value])], (key, value: unknown) => {
      if (ASIDE.has(key) || ATTACHED.has(key)) return undefined
      return key === "children" && Array.isArray(value) ? renderedChildren(value as Node[]) : value
    }),
  )
  return first === second
}

/** JSX drops the lines that are blank and the space around a line's end. */
function renderedChildren(nodes: readonly Node[]): unknown[] {
  return nodes.flatMap((node): unknown[] => {
    if (node.type !== "JSXText") return [node]
    const lines = String(node["value"]).split(/\r\n|\n|\r/)
    const kept = lines.map((line, index) => {
      const begun = index === 0 ? line : line.replace(/^[ \t]+/, "")
      return index === lines.length - 1 ? begun : begun.replace(/(?<![ \t])[ \t]+$/, "")
    })
    const text = kept.filter((line) => line !== "").join(" ")
    return text === "" ? [] : [text]
  })
}

/** All nodes below one, itself first. */
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

/** Whether code, and not only a comment, has the name or the string in it. */
export function mentions(program: Program, word: string): boolean {
  return [...nodesBelow(program)].some((node) => nameOf(node) === word || stringOf(node) === word)
}

function stringOf(node: Node | undefined): string | undefined {
  return node?.type === "StringLiteral" ? String(node["value"]) : undefined
}

/** What a local name stands for of the package: the name that it exports, `*` for all of it. `undefined` for a type. */
export function importedName({ body }: Program, local: string, from: string): string | undefined {
  const specifier = body
    .filter((statement) => statement.type === "ImportDeclaration" && statement["importKind"] !== "type")
    .filter((statement) => stringOf(child(statement, "source")) === from)
    .flatMap((statement) => children(statement, "specifiers"))
    .find((each) => nameOf(child(each, "local")) === local && each["importKind"] !== "type")
  return specifier?.type === "ImportNamespaceSpecifier" ? "*" : nameOf(specifier && child(specifier, "imported"))
}

/** Whether the value is what the package exports under the name: `Package.name`, or `name` itself. */
export function isImported(program: Program, value: Node, name: string, from: string): boolean {
  if (value.type === "Identifier") return importedName(program, nameOf(value) ?? "", from) === name
  const isNamespace = importedName(program, nameOf(child(value, "object")) ?? "", from) === "*"
  return isNamespace && value.type === "MemberExpression" && nameOf(child(value, "property")) === name
}

/** What a module exports under a name: declared on the spot, or in a form that only its author should change. */
export type Exported =
  | { readonly isDeclared: true; readonly statement: Node; readonly value: Node }
  | { readonly isDeclared: false }

/** `undefined` where the module exports nothing of that name. Names that `export *` may bring count as exported. */
export function exportOf({ body }: Program, name: string): Exported | undefined {
  const ofOther: Exported = { isDeclared: false }
  let found: Exported | undefined
  for (const statement of body) {
    if (statement.type === "ExportAllDeclaration") found ??= ofOther
    if (statement.type !== "ExportNamedDeclaration") continue
    const declaration = child(statement, "declaration")
    const variables = declaration === undefined ? [] : children(declaration, "declarations")
    const variable = variables.find((each) => nameOf(child(each, "id")) === name)
    const value = variable === undefined ? declaration : child(variable, "init")
    const isFunction = declaration !== undefined && nameOf(child(declaration, "id")) === name
    if (isFunction || (variable !== undefined && variables.length === 1))
      return value === undefined ? ofOther : { isDeclared: true, statement, value }
    const names = children(statement, "specifiers").map((each) => child(each, "exported"))
    const patterns = variables.flatMap((each) => [...nodesBelow(child(each, "id") ?? each)])
    if (names.some((each) => nameOf(each) === name || stringOf(each) === name)) return ofOther
    if (patterns.some((each) => nameOf(each) === name)) return ofOther
  }
  return found
}
