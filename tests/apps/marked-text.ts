import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The page that the comparisons of apps write their tables into. */
export const COMPATIBILITY_PAGE = join(import.meta.dirname, "../../docs/reference/compatibility.md")

/** A part of a page of the documentation that a program writes. */
export interface Marks {
  readonly begin: string
  readonly end: string
}

/** A table between marks. */
export interface MarkedTable extends Marks {
  readonly head: readonly string[]
  /** What a row is about: it replaces the row about the same. */
  readonly subjectOf: (row: string) => string
  /** Sorts the rows, the lowest first. Default: in the order in which they were added. */
  readonly rankOf?: (row: string) => number
}

/**
 * Writes rows into the table: each replaces the row with the same subject, or is added.
 *
 * @throws {Error} if the page has no marks.
 */
export function writeRows(page: string, table: MarkedTable, rows: readonly string[]): void {
  const before = textBetween(page, table)
    .split("\n")
    .filter((line) => line.startsWith("| ") && !table.head.includes(line))
  const bySubject = new Map([...before, ...rows].map((row) => [table.subjectOf(row), row]))
  const { rankOf = () => 0 } = table
  const sorted = [...bySubject.values()].sort((a, b) => rankOf(a) - rankOf(b))
  writeBetween(page, table, [...table.head, ...sorted].join("\n"))
}

/** The text between the marks, without the empty lines around it. */
export function textBetween(page: string, marks: Marks): string {
  const { text, from, to } = find(page, marks)
  return text.slice(from, to).trim()
}

/** Replaces the text between the marks. */
export function writeBetween(page: string, marks: Marks, replacement: string): void {
  const { text, from, to } = find(page, marks)
  writeFileSync(page, `${text.slice(0, from)}\n\n${replacement}\n\n${text.slice(to)}`)
}

function find(page: string, { begin, end }: Marks) {
  const text = readFileSync(page, "utf8")
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  if (!text.includes(begin) || to < from) throw new Error(`${page} has no marks ${begin} and ${end}`)
  return { text, from, to }
}
