import { parseSpanId, parseTraceId } from "../model/ids.ts"
import { parseItemListQuery } from "../query/item-list-query.ts"
import type { ItemSummary } from "../query/kept-item-reader.ts"
import { DYNAMIC_HEADERS } from "../receive/index.ts"
import { itemToJson } from "../wire/item-json.ts"
import type { Inspector } from "./inspector.ts"
import { itemFile } from "./item-file.ts"
import { problem, read } from "./read-api.ts"

const ID = /^[0-9a-f]{32}$/

/**
 * `GET /api/items`: a page of envelope items, newest first. With `event` all that came with the event or tells of it; with
 * `trace` and `span` (ids between commas) the transaction events whose root is one of the spans.
 */
export function listItemsDoor(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, ({ items: reader }) => {
    const { searchParams } = new URL(request.url)
    const event = searchParams.get("event")?.replaceAll("-", "").toLowerCase()
    const trace = searchParams.get("trace")
    if (event !== undefined) return ofEvent(reader, event)
    return trace === null ? ofAll(reader, searchParams) : ofSpans(reader, trace, searchParams.get("span") ?? "")
  })
}

/** `GET /api/items/{itemId}`: the payload as a file. 404 where the item is not known. */
export function itemDoor(inspector: Inspector, request: Request, itemId: string): Promise<Response> {
  return read(inspector, request, async ({ items }) => {
    if (!ID.test(itemId)) return problem(400, "An item id has 32 hexadecimal digits.")
    const item = await items.readItem(itemId)
    return item === undefined ? problem(404, "No item has the id.") : itemFile(item)
  })
}

type Reader = Inspector["items"]

async function ofAll(reader: Reader, parameters: URLSearchParams): Promise<Response> {
  const { query, notices } = parseItemListQuery(parameters)
  const { items, next } = await reader.listItems(query)
  return answer(items, next, notices)
}

async function ofEvent(reader: Reader, eventId: string): Promise<Response> {
  if (!ID.test(eventId)) return problem(400, "An event id has 32 hexadecimal digits.")
  return answer(await reader.readItemsOfEvent(eventId))
}

async function ofSpans(reader: Reader, trace: string, spans: string): Promise<Response> {
  const traceId = parseTraceId(trace)
  if (traceId === undefined) return problem(400, "A trace id has 32 hexadecimal digits.")
  const spanIds = spans.split(",").flatMap((id) => parseSpanId(id) ?? [])
  if (spanIds.length === 0) return problem(400, "span names no span: an id has 16 hexadecimal digits.")
  return answer(await reader.readEventsOfSpans(traceId, spanIds))
}

function answer(items: readonly ItemSummary[], next?: string, notices: readonly string[] = []): Response {
  return Response.json(
    { items: items.map(itemToJson), next: next ?? null, ...(notices.length > 0 && { notices }) },
    { headers: DYNAMIC_HEADERS },
  )
}
