import type { KeptItem } from "../model/kept-item.ts"

type PlainParts = Pick<
  KeptItem,
  | "itemId"
  | "type"
  | "service"
  | "environment"
  | "release"
  | "sdk"
  | "facts"
  | "contentType"
  | "fileName"
  | "attachmentType"
  | "byteLength"
  | "cuts"
>

/** An envelope item as `GET /api/items` gives it, without its payload. Its time is nanoseconds as text. */
export interface ItemJson extends PlainParts {
  readonly time: string
  readonly eventId: string | null
  readonly aboutEventId: string | null
  readonly traceId: string | null
  readonly spanId: string | null
}

export function itemToJson(item: Omit<KeptItem, "payload">): ItemJson {
  const { time, eventId, aboutEventId, traceId, spanId, ...plain } = item
  return {
    ...plain,
    time: String(time),
    eventId: eventId ?? null,
    aboutEventId: aboutEventId ?? null,
    traceId: traceId ?? null,
    spanId: spanId ?? null,
  }
}
