import type { ItemRecord } from "../../protocol/records/envelope-item.ts"
import { parseSpanId, parseTraceId } from "../../protocol/records/ids.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { type ItemSummary, itemToJson, parseItemListQuery } from "../queries/errors/envelope-items.ts"
import { problem, read } from "./traces.ts"

const ID = /^[0-9a-f]{32}$/

/**
 * `GET /api/items`: a page of envelope items, newest first. With `event` all that came with the event or tells of it; with
 * `trace` and `span` (ids between commas) the transaction events whose root is one of the spans.
 */
export function listItemsHandler(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, ({ items: reader }) => {
    const { searchParams } = new URL(request.url)
    const event = searchParams.get("event")?.replaceAll("-", "").toLowerCase()
    const trace = searchParams.get("trace")
    if (event !== undefined) return ofEvent(reader, event)
    return trace === null ? ofAll(reader, searchParams) : ofSpans(reader, trace, searchParams.get("span") ?? "")
  })
}

/** `GET /api/items/{itemId}`: the payload as a file. 404 where the item is not known. */
export function itemHandler(inspector: Inspector, request: Request, itemId: string): Promise<Response> {
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

/** Characters of a file's name. Most file systems take 255 bytes. */
const NAME_LIMIT = 80
/** What no file name holds, on any system: separators, controls, what is invisible or turns the text around. */
const UNFIT =
  // oxlint-disable-next-line no-control-regex -- they are what is meant
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"*/:<>?\\|\p{Surrogate}]+/gu

/** Below this address everything is a file that somebody sent. */
export const FILE_PATH = "/api/items/"
/** No source of anything, no frame, no script, no origin. */
export const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

/**
 * The payload as a file to save. Whoever sent it may have written a page that attacks this one: no browser is to show it
 * here, by any of three ways (disposition, type, a sandbox without rights).
 */
export function itemFile(item: ItemRecord): Response {
  return new Response(item.payload as Uint8Array<ArrayBuffer>, {
    headers: {
      ...DYNAMIC_HEADERS,
      "content-type": "application/octet-stream",
      "content-length": String(item.payload.length),
      "content-disposition": disposition(nameOf(item)),
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

/** The last part of what it was called, which may be a path; else what it is. */
function nameOf({ fileName, type, itemId, payload }: ItemRecord): string {
  const last = fileName.split(/[/\\]/).at(-1) ?? ""
  const name = last.replace(UNFIT, "_").replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "")
  if (/[^_]/.test(name)) return shortened(name)
  const isObject = payload[0] === 0x7b
  return `${type.replace(/[^\w.-]/g, "_").slice(0, 40)}-${itemId}.${isObject ? "json" : "bin"}`
}

/** The end of a name says what it is. */
function shortened(name: string): string {
  const characters = [...name]
  if (characters.length <= NAME_LIMIT) return name
  return [...characters.slice(0, NAME_LIMIT / 2), "…", ...characters.slice(-NAME_LIMIT / 2)].join("")
}
