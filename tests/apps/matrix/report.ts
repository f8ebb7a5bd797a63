import { readFileSync, writeFileSync } from "node:fs"
import type { Result } from "./matrix.ts"

const BEGIN = "<!-- versions: made by `npm run test:apps -- --matrix` -->"
const END = "<!-- end of versions -->"
const HEAD = ["| Next | Sentry | OpenTelemetry | bundler | deployment | right |", "|---|---|---|---|---|---|"]

/** A row of the table, with what is wrong or why it did not run. */
export function rowOf({ versions, bundler, deployment, problems, obstacle }: Result): string {
  const verdict =
    obstacle === undefined ? (problems.length === 0 ? "yes" : `no: ${problems.join("; ")}`) : `not run: ${obstacle}`
  return `| ${[...versions, bundler, deployment, verdict.replaceAll("|", "\\|")].join(" | ")} |`
}

/** The rows as a table of Markdown. */
export function tableOf(rows: readonly string[]): string {
  return `${[...HEAD, ...rows].join("\n")}\n`
}

/** All but the last cell, which is the verdict. */
function subjectOf(row: string): string {
  return row.split(" | ").slice(0, -1).join(" | ")
}

/**
 * Writes rows into the table between its marks: each replaces the row of the same versions, bundler and deployment.
 *
 * @throws {Error} if the page has no marks.
 */
export function writeRows(page: string, rows: readonly string[]): void {
  const text = readFileSync(page, "utf8")
  const from = text.indexOf(BEGIN) + BEGIN.length
  const to = text.indexOf(END)
  if (!text.includes(BEGIN) || to < from) throw new Error(`${page} has no marks ${BEGIN} and ${END}`)
  const before = text
    .slice(from, to)
    .split("\n")
    .filter((line) => line.startsWith("| ") && !HEAD.includes(line))
  const table = new Map([...before, ...rows].map((row) => [subjectOf(row), row]))
  writeFileSync(page, `${text.slice(0, from)}\n\n${tableOf([...table.values()])}\n${text.slice(to)}`)
}
