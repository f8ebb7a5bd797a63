import type { ItemRecord } from "#otel/protocol/records/envelope-item.ts"
import { ago } from "./spans.ts"

let made = 0

/** An envelope item with a new id. */
export function itemRecord(over: Partial<ItemRecord> = {}): ItemRecord {
  const payload = over.payload ?? Buffer.from("{}")
  made += 1
  return {
    itemId: made.toString(16).padStart(32, "0"),
    type: "made_up",
    time: ago(1_000),
    eventId: undefined,
    aboutEventId: undefined,
    traceId: undefined,
    spanId: undefined,
    service: "shop",
    environment: "",
    release: "",
    sdk: "",
    facts: [],
    contentType: "",
    fileName: "",
    attachmentType: "",
    byteLength: payload.length,
    cuts: [],
    ...over,
    payload,
  }
}
