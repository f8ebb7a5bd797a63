import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { BudgetsInvalid } from "../queries/budgets/budget-file.ts"
import { BudgetFilterInvalid, parseBudgetRequest } from "../queries/budgets/budget-request.ts"
import { parseJson, readText } from "./read-json.ts"
import { json, problem, respondToAction } from "./respond.ts"

/** Characters of the largest body. */
const BODY_LIMIT = 65_536

/**
 * `POST /api/budgets`: measures traces against the limits of a budget file. It is a query, with a body that no address has
 * room for: it changes nothing. 400 for invalid budgets or an invalid filter, 413 for a larger body.
 */
export function judgeBudgets(inspector: Inspector, request: Request): Promise<Response> {
  return respondToAction(inspector, request, "POST", async () => {
    const body = await readText(request, BODY_LIMIT)
    if (body === undefined) return problem(413, `Budgets have at most ${BODY_LIMIT} characters.`)
    const nowMs = Date.now()
    const { runs, internalServices } = inspector
    try {
      const { budgets, scope } = parseBudgetRequest(parseJson(body), nowMs, {
        runs: runs.lookup,
        internalServices,
      })
      return json(await inspector.queries.withSignal(request.signal).budgets(budgets, scope, nowMs))
    } catch (error) {
      if (error instanceof BudgetsInvalid) return problem(400, error.message)
      if (!(error instanceof BudgetFilterInvalid)) throw error
      return Response.json({ ...error.problem, filter: error.filter }, { status: 400, headers: DYNAMIC_HEADERS })
    }
  })
}
