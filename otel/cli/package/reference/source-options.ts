import { readFileSync } from "node:fs"
import { parseSync, type Visited } from "./syntax.ts"

/** A documented property as it stands in a source file. */
export interface SourceOption {
  readonly name: string
  /** Its comment, in one line. */
  readonly about: string
  /** The text of its value or of its type. */
  readonly text: string
}

/** The documented properties of the object that a constant is made from, or of an interface. */
export function optionsIn(file: string, name: string): SourceOption[] {
  const text = readFileSync(file, "utf8")
  return parseSync(text, name).map(({ key, start, end, comment }: Visited) => {
    if (comment === undefined) throw new Error(`${file}: ${key} has no comment that says what it is`)
    return { name: key, about: comment, text: text.slice(start, end) }
  })
}

/** Constants of the file whose value is a text. */
export function textConstants(file: string): ReadonlyMap<string, string> {
  const found = readFileSync(file, "utf8").matchAll(/^const (?<name>[A-Z_]+) = "(?<value>[^"]*)"$/gm)
  return new Map([...found].map(({ groups }) => [groups?.["name"] ?? "", groups?.["value"] ?? ""]))
}
