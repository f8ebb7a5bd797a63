import { parseModule } from "magicast"
import type { Change } from "./edit.ts"

/** A node of the syntax tree, as Babel names them. Only what is looked at here. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Program extends Node {
  readonly body: readonly Node[]
}

/** The statements of a module, `undefined` where the text is none. TypeScript and JSX are read too. */
export function readProgram(text: string): Program | undefined {
  try {
    const { $ast } = parseModule(text, { sourceFileName: "file.tsx" })
    return $ast as unknown as Program
  } catch {
    // Not in a language that is known here: left to a person.
    return undefined
  }
}

/** All nodes below one, itself first. */
export function* nodesBelow(node: Node): Generator<Node> {
  yield node
  for (const [key, value] of Object.entries(node)) {
    if (key === "loc" || key === "tokens" || key === "original" || key === "comments") continue
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

/** Lines of imports, after those that are there, else at the top, below directives. */
export function addImports(program: Program, lines: readonly string[]): Change {
  const last = program.body.findLast(({ type }) => type === "ImportDeclaration")
  if (last !== undefined) return { start: last.end, end: last.end, text: lines.map((line) => `\n${line}`).join("") }
  const directive = children(program, "directives").at(-1)
  const at = directive?.end ?? program.body[0]?.start ?? 0
  const text = lines.join("\n")
  return { start: at, end: at, text: directive === undefined ? `${text}\n\n` : `\n\n${text}` }
}

/** What the module exports under a name: a function, or what a variable begins with. */
export function exportedAs(program: Program, name: string): { statement: Node; value: Node } | undefined {
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration") continue
    const declaration = child(statement, "declaration")
    if (declaration === undefined) continue
    if (nameOf(child(declaration, "id")) === name) return { statement, value: declaration }
    const variable = children(declaration, "declarations").find((each) => nameOf(child(each, "id")) === name)
    const value = variable && child(variable, "init")
    if (value !== undefined) return { statement, value }
  }
  return undefined
}
