import type { ItemRecord } from "../../protocol/records/envelope-item.ts"
import { parseSpanId, parseTraceId } from "../../protocol/records/ids.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { itemToJson, parseItemListQuery } from "../queries/errors/envelope-items.ts"
import type { QueryService } from "../queries/query-service.ts"
import type { RequestParameters } from "./request-parameters.ts"
import { INVALID_SPAN_ID, INVALID_TRACE_ID, page, problem, respond } from "./respond.ts"

const ID = /^[0-9a-f]{32}$/

/**
 * `GET /api/items`: a page of envelope items, newest first. With `event`, the event's own item and those that came with it
 * or refer to it; with `trace` and `span` (comma-separated ids), the transaction events whose root is one of the spans.
 */
export function listItems(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, (queries, parameters) => {
    const event = parameters.get("event")?.replaceAll("-", "").toLowerCase()
    const trace = parameters.get("trace")
    if (event !== undefined) return listItemsOfEvent(queries, event, parameters)
    return trace === null ? listAllItems(queries, parameters) : listItemsOfSpans(queries, trace, parameters)
  })
}

async function listAllItems(queries: QueryService, parameters: RequestParameters): Promise<Response> {
  const { query, refusal, notices } = parseItemListQuery(parameters)
  if (refusal !== undefined) return problem(400, refusal)
  const { items, next } = await queries.items(query)
  return page({ items: items.map(itemToJson) }, next, parameters.noticesWith(notices))
}

async function listItemsOfEvent(
  queries: QueryService,
  eventId: string,
  parameters: RequestParameters,
): Promise<Response> {
  if (!ID.test(eventId)) return problem(400, "An event id has 32 hexadecimal digits.")
  return page({ items: (await queries.itemsOfEvent(eventId)).map(itemToJson) }, undefined, parameters.noticesWith())
}

async function listItemsOfSpans(
  queries: QueryService,
  trace: string,
  parameters: RequestParameters,
): Promise<Response> {
  const traceId = parseTraceId(trace)
  if (traceId === undefined) return problem(400, INVALID_TRACE_ID)
  const spanIds = (parameters.get("span") ?? "").split(",").flatMap((id) => parseSpanId(id) ?? [])
  if (spanIds.length === 0) return problem(400, `span has no valid id. ${INVALID_SPAN_ID}`)
  return page(
    { items: (await queries.itemsOfSpans(traceId, spanIds)).map(itemToJson) },
    undefined,
    parameters.noticesWith(),
  )
}

/** `GET /api/items/{itemId}`: the payload as a file. 404 when the item is unknown. */
export function getItem(inspector: Inspector, request: Request, itemId: string): Promise<Response> {
  return respond(inspector, request, async (queries) => {
    if (!ID.test(itemId)) return problem(400, "An item id has 32 hexadecimal digits.")
    const item = await queries.item(itemId)
    return item === undefined ? problem(404, "No item has the id.") : itemFile(item)
  })
}

/** Every address below this path answers a file that a client sent. */
export const FILE_PATH = "/api/items/"
/** Loads nothing, runs no script, is not framed, and has an opaque origin. */
export const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

/**
 * The payload as a file to save. Its sender may have written a page that attacks this origin, so three things each keep a
 * browser from rendering it here: the disposition, the content type, and a sandbox without permissions.
 */
function itemFile(item: ItemRecord): Response {
  return new Response(item.payload as Uint8Array<ArrayBuffer>, {
    headers: {
      ...DYNAMIC_HEADERS,
      "content-type": "application/octet-stream",
      "content-length": String(item.payload.length),
      "content-disposition": disposition(fileName(item)),
      "content-security-policy": FILE_POLICY,
      "cross-origin-resource-policy": "same-origin",
    },
  })
}

/** @see https://www.rfc-editor.org/rfc/rfc6266#section-4.3 */
function disposition(name: string): string {
  const plain = name.replace(/[^\u0020-\u007e]|%/g, "_")
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()]/g, escape)}`
}

function escape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** Characters of a file name. Most file systems allow 255 bytes. */
const NAME_LIMIT = 80
/** Characters that no file name may have on any system: separators, controls, invisible and bidirectional characters. */
const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"*/:<>?\\|\p{Surrogate}]+/gu

/** The last segment of the item's own file name, which may be a path; else its type and id. */
function fileName({ fileName: given, type, itemId, payload }: ItemRecord): string {
  const last = given.split(/[/\\]/).at(-1) ?? ""
  const name = last.replace(FORBIDDEN, "_").replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "")
  if (/[^_]/.test(name)) return shortened(name)
  const isObject = payload[0] === 0x7b
  return `${type.replace(/[^\w.-]/g, "_").slice(0, 40)}-${itemId}.${isObject ? "json" : "bin"}`
}

/** Drops the middle: the end of a name has its extension. */
function shortened(name: string): string {
  const characters = [...name]
  if (characters.length <= NAME_LIMIT) return name
  return [...characters.slice(0, NAME_LIMIT / 2), "…", ...characters.slice(-NAME_LIMIT / 2)].join("")
}
