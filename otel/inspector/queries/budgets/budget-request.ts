import { z } from "zod"
import { type FilterProblem, parseFilter, type RunLookup } from "../../search/index.ts"
import { momentOrAge } from "../list/time-range.ts"
import { type Budgets, BudgetsInvalid, parseBudgets } from "./budget-file.ts"
import type { BudgetScope } from "./budgets.ts"

/** What is measured, and against which limits: the body of `POST /api/budgets`. */
export interface BudgetRequest {
  /** The content of a budget file. */
  readonly budgets: unknown
  /** Filter of the measured traces. Default: all. */
  readonly filter?: string | undefined
  /** An age like `15m` or an RFC 3339 time. Default: any time. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export interface ParsedBudgetRequest {
  readonly budgets: Budgets
  readonly scope: BudgetScope
}

/** A filter that cannot be parsed. */
export class BudgetFilterInvalid extends Error {
  override readonly name = "BudgetFilterInvalid"

  constructor(
    readonly filter: string,
    readonly problem: FilterProblem,
  ) {
    super(problem.message)
  }
}

const schema = z.strictObject({
  budgets: z.unknown(),
  filter: z.string().max(2_000).default(""),
  since: z.string().optional(),
  until: z.string().optional(),
})

/**
 * @param nowMs milliseconds since the epoch: an age counts back from it.
 * @throws {BudgetsInvalid | BudgetFilterInvalid}
 */
export function parseBudgetRequest(json: unknown, nowMs: number, runs?: RunLookup): ParsedBudgetRequest {
  const parsed = schema.safeParse(json)
  if (!parsed.success) throw new BudgetsInvalid(`The request is invalid: ${z.prettifyError(parsed.error)}`)
  const { filter, since, until } = parsed.data
  const budgets = parseBudgets(parsed.data.budgets)
  const tree = (text: string) => {
    const found = parseFilter(text, runs)
    if (found.problem !== undefined) throw new BudgetFilterInvalid(text, found.problem)
    return found.tree
  }
  const moment = (name: string, text: string | undefined) => {
    const time = text === undefined ? undefined : momentOrAge(text, nowMs)
    if (text !== undefined && time === undefined)
      throw new BudgetsInvalid(`${name} is neither an age like 15m nor a time like 2026-01-31T12:00:00Z`)
    return time
  }
  return {
    budgets,
    scope: {
      current: { filter: tree(filter), since: moment("since", since), until: moment("until", until) },
      baseline: budgets.baseline === undefined ? undefined : tree(budgets.baseline),
    },
  }
}
