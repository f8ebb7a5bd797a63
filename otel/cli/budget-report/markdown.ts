import type { BudgetReport } from "../../inspector/queries/budgets/budgets.ts"
import { type Described, summaryText } from "./describe.ts"

const SIGNS = { fail: "❌", undecided: "➖", pass: "✅" } as const
/** Rows of a summary. GitHub accepts 1 MiB for a step, and 65,536 characters for a comment. */
const ROWS = 100

/** The report for a pull request, in GitHub's Markdown. */
export function markdownText(report: BudgetReport, results: readonly Described[]): string {
  const rows = results.slice(0, ROWS).map((each) => {
    const cells = [
      SIGNS[each.verdict],
      ...[each.subject, each.figure, each.value, each.limit, each.samples, each.detail].map(cell),
    ]
    return `| ${cells.join(" | ")} |`
  })
  const omitted = results.length - rows.length + report.omitted
  return [
    `### ${summaryText(report)}`,
    "",
    "| | route | figure | measured | limit | samples | |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    ...(omitted > 0 ? ["", `${omitted} more limits are not shown.`] : []),
    "",
  ].join("\n")
}

/** A cell without anything that Markdown or HTML would read. */
function cell(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_{}[\]()#+!|~@>-]/g, (character) => `&#${character.codePointAt(0)};`)
}
