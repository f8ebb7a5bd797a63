import { readFileSync, writeFileSync } from "node:fs"
import type { Result } from "./matrix.ts"

const BEGIN = "<!-- versions: made by `npm run test:apps -- --matrix` -->"
const END = "<!-- end of versions -->"

/** The table, with a list of what is wrong below it. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map(
    ({ next, sentry, bundler, deployment, problems, obstacle }) =>
      `| ${next} | ${sentry} | ${bundler} | ${deployment} | ${obstacle === undefined ? (problems.length === 0 ? "yes" : "no") : "not run"} |`,
  )
  return [
    "| Next | Sentry | bundler | deployment | right |",
    "|---|---|---|---|---|",
    ...rows,
    ...(results.some(isRemarkable) ? ["", ...results.filter(isRemarkable).flatMap(remarks)] : []),
  ].join("\n")
}

function isRemarkable({ problems, obstacle }: Result): boolean {
  return problems.length > 0 || obstacle !== undefined
}

/** A line for each problem, or for why it did not run. */
export function remarks({ next, sentry, bundler, deployment, problems, obstacle }: Result): string[] {
  const where = `Next ${next}, Sentry ${sentry}, ${bundler}, ${deployment}`
  return (obstacle === undefined ? problems : [`not run: ${obstacle}`]).map((each) => `- ${where}: ${each}`)
}

/** Writes the table between its marks, and leaves the rest of the page. @throws {Error} if the page has no marks. */
export function writeTable(page: string, results: readonly Result[]): void {
  const text = readFileSync(page, "utf8")
  const from = text.indexOf(BEGIN)
  const to = text.indexOf(END)
  if (from < 0 || to < from) throw new Error(`${page} has no marks ${BEGIN} and ${END}`)
  writeFileSync(page, `${text.slice(0, from + BEGIN.length)}\n\n${tableOf(results)}\n\n${text.slice(to)}`)
}
