import {
  BudgetFilterInvalid,
  type BudgetRequest,
  parseBudgetRequest,
} from "../../inspector/queries/budgets/budget-request.ts"
import { BudgetsInvalid } from "../../inspector/queries/budgets/budget-file.ts"
import { pointAtProblem } from "../../inspector/search/index.ts"
import { CommandError, EXIT } from "../exit.ts"

/**
 * Checks a file before anything is measured.
 *
 * @throws {CommandError} with the keys that are invalid, or the part of a filter.
 */
export function checkBudgets(path: string, request: BudgetRequest): void {
  try {
    parseBudgetRequest(request, Date.now())
  } catch (error) {
    if (error instanceof BudgetsInvalid)
      throw new CommandError(`${path} is invalid:\n${indented(error.message)}`, EXIT.usage)
    if (!(error instanceof BudgetFilterInvalid)) throw error
    throw new CommandError(pointAtProblem(error.filter, error.problem), EXIT.usage)
  }
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ")
}
