import type { Inspector } from "../inspector.ts"
import { SHORT_NAMES } from "../search/fields.ts"
import { json, respond } from "./respond.ts"

/** Longer than the name of any attribute that Pagespan knows. */
const TEXT_LIMIT = 256

/**
 * `GET /api/attributes`: names of span attributes; with `name`, its values that contain `text`. Most frequent first. With
 * `of=logs`, those of logs.
 */
export function listAttributes(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries) => {
    const { searchParams } = new URL(request.url)
    const name = searchParams.get("name")?.slice(0, TEXT_LIMIT)
    const ofLogs = searchParams.get("of") === "logs"
    if (!name) return json({ attributes: await (ofLogs ? queries.logAttributes() : queries.attributes()) })
    const text = searchParams.get("text")?.slice(0, TEXT_LIMIT) ?? ""
    if (ofLogs) return json({ values: await queries.logValues(name, text) })
    return json({ values: await queries.values(SHORT_NAMES.get(name) ?? name, text) })
  })
}
