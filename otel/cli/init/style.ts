import { child, type Module, type Node, nodesBelow, parseCode } from "./syntax.ts"

/** How a file is written. New code in it follows. */
export interface Style {
  readonly quote: '"' | "'"
  readonly semicolons: boolean
  /** One level. */
  readonly indent: string
}

export const DEFAULT_STYLE: Style = { quote: '"', semicolons: false, indent: "  " }

/** Nodes that a semicolon ends, if the file uses semicolons. */
const TERMINATED = new Set([
  "Directive",
  "ExportAllDeclaration",
  "ExpressionStatement",
  "ImportDeclaration",
  "ReturnStatement",
  "TSTypeAliasDeclaration",
  "ThrowStatement",
  "VariableDeclaration",
])

/** The style of most of the file. What the file does not show is as in `fallback`. */
export function styleOf(text: string, { program }: Module, fallback: Style): Style {
  const quotes = [...stringsBelow(program)].filter((each) => !/["']/.test(text.slice(each.start + 1, each.end - 1)))
  const double = quotes.filter(({ start }) => text[start] === '"').length
  const ends = [...nodesBelow(program)].filter(isTerminated)
  const semicolons = ends.filter(({ end }) => text[end - 1] === ";").length
  return {
    quote: double * 2 === quotes.length ? fallback.quote : double * 2 > quotes.length ? '"' : "'",
    semicolons: semicolons * 2 === ends.length ? fallback.semicolons : semicolons * 2 > ends.length,
    indent: indentOf(text) ?? fallback.indent,
  }
}

/**
 * Code of this package in another style.
 *
 * @param code in the default style.
 */
export function restyled(code: string, style: Style): string {
  const { program } = parseCode(code)
  const characters = [...code]
  if (characters.length !== code.length) throw new Error("the package's own code is ASCII")
  for (const { start, end } of stringsBelow(program))
    if (!code.slice(start + 1, end - 1).includes("'")) characters[start] = characters[end - 1] = style.quote
  if (style.semicolons)
    for (const node of [...nodesBelow(program)].filter(isTerminated))
      if (code[node.end - 1] !== ";") characters[node.end - 1] += ";"
  return characters
    .join("")
    .replaceAll(/^(?: {2})+/gm, (spaces) => style.indent.repeat(spaces.length / DEFAULT_STYLE.indent.length))
}

function isTerminated(node: Node): boolean {
  if (node.type === "ExportNamedDeclaration") return child(node, "declaration") === undefined
  if (node.type === "ExportDefaultDeclaration") return child(node, "declaration")?.type.endsWith("Declaration") !== true
  return TERMINATED.has(node.type)
}

/** String literals and directives, without the attributes of JSX, whose quotes have a style of their own. */
function* stringsBelow(node: Node): Generator<Node> {
  const attributes = new Set<Node>()
  for (const each of nodesBelow(node)) {
    const value = each.type === "JSXAttribute" ? child(each, "value") : undefined
    if (value !== undefined) attributes.add(value)
    if (/^(?:String|Directive)Literal$/.test(each.type) && !attributes.has(each)) yield each
  }
}

/** The most frequent step by which a line is indented more than the line before. `undefined` if no line is. */
function indentOf(text: string): string | undefined {
  const indents = text.split("\n").flatMap((line) => /^([ \t]*)(?!\*|[ \t\r])./.exec(line)?.[1] ?? [])
  const steps = new Map<string, number>()
  for (const [index, indent] of indents.entries()) {
    const before = indents[index - 1] ?? ""
    if (indent.length > before.length && indent.startsWith(before)) {
      const step = indent.slice(before.length)
      steps.set(step, (steps.get(step) ?? 0) + 1)
    }
  }
  return [...steps].sort(([, a], [, b]) => b - a)[0]?.[0]
}
