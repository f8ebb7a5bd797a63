import { parseLossQuery } from "../query/loss-query.ts"
import { DYNAMIC_HEADERS } from "../receive/index.ts"
import { lossToJson } from "../wire/issue-json.ts"
import type { Inspector } from "./inspector.ts"
import { read } from "./read-api.ts"

/** Longer than anything is kept: who asks by program and names no window is told of all losses. */
const ALL = "36500d"

/** `GET /api/losses`: a page of losses, newest first, by the query parameters of the screen. */
export function listLossesDoor(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async ({ losses: reader }) => {
    const { query, notices } = parseLossQuery(new URL(request.url).searchParams, Date.now(), ALL)
    const { losses, next } = await reader.pageLosses(query)
    return Response.json(
      { losses: losses.map(lossToJson), next: next ?? null, ...(notices.length > 0 && { notices }) },
      { headers: DYNAMIC_HEADERS },
    )
  })
}
