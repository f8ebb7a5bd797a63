import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { parseDropQuery } from "../queries/drops/drop-query.ts"
import { dropToJson } from "../queries/errors/issue.ts"
import { read } from "./traces.ts"

/** Longer than anything is kept: who asks by program and names no window is told of all drops. */
const ALL = "36500d"

/** `GET /api/dropped`: a page of drops, newest first, by the query parameters of the screen. */
export function listDropsHandler(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async ({ drops: reader }) => {
    const { query, notices } = parseDropQuery(new URL(request.url).searchParams, Date.now(), ALL)
    const { drops, next } = await reader.pageDrops(query)
    return Response.json(
      { drops: drops.map(dropToJson), next: next ?? null, ...(notices.length > 0 && { notices }) },
      { headers: DYNAMIC_HEADERS },
    )
  })
}
