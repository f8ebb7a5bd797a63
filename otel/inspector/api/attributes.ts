import type { Inspector } from "../inspector.ts"
import { ParameterReader } from "../queries/list/parameter-reader.ts"
import { SHORT_NAMES } from "../search/fields.ts"
import { json, respond } from "./respond.ts"

/**
 * `GET /api/attributes`: names of span attributes; with `name`, its values that contain `text`. Most frequent first. With
 * `of=logs`, those of logs.
 */
export function listAttributes(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const reader = new ParameterReader(parameters)
    const ofLogs = reader.oneOf("of", ["spans", "logs"]) === "logs"
    const name = reader.text("name")
    const text = reader.text("text") ?? ""
    const notices = parameters.noticesWith(reader.notices)
    if (name === undefined)
      return json({ attributes: await (ofLogs ? queries.logAttributes() : queries.attributes()) }, notices)
    if (ofLogs) return json({ values: await queries.logValues(name, text) }, notices)
    return json({ values: await queries.values(SHORT_NAMES.get(name) ?? name, text) }, notices)
  })
}
