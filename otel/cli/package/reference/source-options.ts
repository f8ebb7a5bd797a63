import { readFileSync } from "node:fs"
import { parse } from "@babel/parser"

/** A documented property in a source file. */
export interface SourceOption {
  readonly name: string
  /** Its comment, as one line. */
  readonly about: string
  /** The source text of its value or type. */
  readonly text: string
}

/**
 * The properties of an interface, or of the object in the initializer of a constant.
 *
 * @throws {Error} on a property without a comment.
 */
export function optionsIn(file: string, name: string): SourceOption[] {
  const text = readFileSync(file, "utf8")
  return membersIn(text, name).map(({ key, start, end, comment }) => {
    if (comment === undefined) throw new Error(`${file}: ${key} has no comment`)
    return { name: key, about: comment, text: text.slice(start, end) }
  })
}

/** The string constants of a file by name. */
export function textConstants(file: string): ReadonlyMap<string, string> {
  const found = readFileSync(file, "utf8").matchAll(/^const (?<name>[A-Z_]+) = "(?<value>[^"]*)"$/gm)
  return new Map([...found].map(({ groups }) => [groups?.["name"] ?? "", groups?.["value"] ?? ""]))
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Member {
  readonly key: string
  readonly start: number
  readonly end: number
  readonly comment: string | undefined
}

/** The members of `const name = z.object({ … })` or of `interface name { … }`. */
function membersIn(text: string, name: string): Member[] {
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
