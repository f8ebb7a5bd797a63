import { parse } from "@babel/parser"

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export interface Visited {
  readonly key: string
  readonly start: number
  readonly end: number
  readonly comment: string | undefined
}

/** The properties of `const name = z.object({ … })` or of `interface name { … }`, with the comments before them. */
export function parseSync(text: string, name: string): Visited[] {
  const program = parse(text, { sourceType: "module", plugins: ["typescript"] }).program as unknown as { body: Node[] }
  const declarations = program.body.map((node) => (node["declaration"] as Node | null | undefined) ?? node)
  const declared = declarations.find((node) => nameOf(node["id"]) === name || nameOf(variable(node)?.["id"]) === name)
  if (declared === undefined) throw new Error(`there is no ${name}`)
  return membersOf(declared).map((member) => ({
    ...place(member),
    key: nameOf(member["key"]),
    comment: commentOf(member),
  }))
}

function variable(node: Node): Node | undefined {
  return (node["declarations"] as Node[] | undefined)?.[0]
}

function membersOf(declared: Node): Node[] {
  const body = declared["body"] as Node | undefined
  if (body !== undefined) return body["body"] as Node[]
  const call = variable(declared)?.["init"] as { arguments: { properties: Node[] }[] }
  return call.arguments[0]?.properties ?? []
}

function place(member: Node): { start: number; end: number } {
  const value = (member["value"] ?? member["typeAnnotation"]) as Node
  return { start: value.start, end: value.end }
}

function nameOf(node: unknown): string {
  return (node as { name?: string } | null | undefined)?.name ?? ""
}

function commentOf(member: Node): string | undefined {
  const comments = (member["leadingComments"] ?? []) as { value: string }[]
  const text = comments.at(-1)?.value
  return text
    ?.replaceAll(/^[ \t]*\*+ ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()
}
