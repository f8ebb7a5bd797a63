import { boundedList, delimited, stored } from "../queries/agent-text.ts"
import type { BudgetResult } from "../queries/budgets/budgets.ts"
import type { ToolQueries, ToolResult } from "./tool.ts"

interface BudgetInput {
  readonly budgets: Readonly<Record<string, unknown>>
  readonly filter: string
  readonly since?: string | undefined
}

/** The tool assert_budget: one line for each limit, those that fail first. */
export async function assertBudget(queries: ToolQueries, { budgets, filter, since }: BudgetInput): Promise<ToolResult> {
  const report = await queries.budgets({ budgets, filter, ...(since !== undefined && { since }) })
  const { fail, undecided, pass } = report.counts
  const all = report.results.map(({ route, span, limit, path, ...result }) => ({
    ...result,
    route: route === null ? null : stored(route),
    span: span === null ? null : stored(span),
    limit: stored(limit),
    path: path.map((key) => stored(key)),
  }))
  const { text, entries: results } = boundedList(
    `${report.verdict}: ${fail} failed, ${undecided} undecided, ${pass} passed.`,
    all,
    lineOf,
  )
  return { text, structured: { verdict: report.verdict, counts: report.counts, results } }
}

function lineOf({
  verdict,
  route,
  kind,
  metric,
  span,
  stat,
  value,
  limit,
  unit,
  samples,
  reason,
  traceId,
}: BudgetResult): string {
  const subject = route === null ? "" : `${delimited(route)}${kind === null ? "" : ` ${kind}`} `
  const figure = `${metric}${span === null ? "" : ` ${delimited(span)}`} ${stat}`
  const measured = value === null ? "not measured" : `${Number(value.toPrecision(4))} ${unit} of ${samples}`
  const example = verdict === "pass" || traceId === null ? "" : `, largest in trace ${traceId}`
  return `${verdict}: ${subject}${figure} ${measured}, limit ${delimited(limit)}${reason && ` (${reason})`}${example}`
}
