import { z } from "zod"
import {
  type FilterProblem,
  type FilterTree,
  parseFilter,
  type RunLookup,
  withoutInternal,
} from "../../search/index.ts"
import { momentOrAge } from "../list/time-range.ts"
import { type Budgets, BudgetsInvalid, parseBudgets } from "./budget-file.ts"
import type { BudgetScope } from "./budgets.ts"

/** What is measured, and against which limits: the body of `POST /api/budgets`. */
export interface BudgetRequest {
  /** The content of a budget file. */
  readonly budgets: unknown
  /** Filter of the measured traces. Default: all that are none of the baseline. */
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

/** What the inspector adds to a request. */
interface BudgetSettings {
  readonly runs?: RunLookup
  /** Without a filter, traces of these services alone are not measured. Default: none. */
  readonly internalServices?: readonly string[]
}

/**
 * @param nowMs milliseconds since the epoch: an age counts back from it.
 * @throws {BudgetsInvalid | BudgetFilterInvalid}
 */
export function parseBudgetRequest(
  json: unknown,
  nowMs: number,
  { runs, internalServices = [] }: BudgetSettings = {},
): ParsedBudgetRequest {
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
  const window = { since: moment("since", since), until: moment("until", until) }
  const own = tree(filter)
  const baseline = budgets.baseline === undefined ? undefined : tree(budgets.baseline)
  const isOwnBaseline = budgets.baseline?.trim() === filter.trim()
  return {
    budgets,
    scope: {
      current: { ...window, filter: filter.trim() === "" ? others(baseline, internalServices) : own },
      // A run of the baseline itself is measured too, and has nothing to compare with.
      baseline: isOwnBaseline ? undefined : baseline,
    },
  }
}

/** All traces but those of the baseline and of the inspector itself. */
function others(baseline: FilterTree | undefined, internal: readonly string[]): FilterTree | undefined {
  const tree: FilterTree | undefined = baseline === undefined ? undefined : { is: "not", node: baseline }
  return internal.length === 0 ? tree : withoutInternal(tree, internal)
}
