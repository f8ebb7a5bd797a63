import type { Inspector } from "../inspector.ts"
import { noContent, respondToAction } from "./respond.ts"

/** `DELETE /api/queries/{id}`: cancels the query of a screen. 204 also when the query has ended. */
export function cancelQuery(inspector: Inspector, request: Request, id: string): Promise<Response> {
  return respondToAction(inspector, request, "DELETE", () => {
    inspector.activeQueries.cancel(id)
    return noContent()
  })
}
