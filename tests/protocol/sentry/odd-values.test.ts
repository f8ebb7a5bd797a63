import { expect, test } from "vitest"
import { decode, decodeBytes, errorEvent, item, transaction } from "./envelopes.ts"

/** `String` throws for it. */
const UNPRINTABLE = { toString: 1 }

test.each([
  [
    "a client report",
    "client_report",
    { discarded_events: [{ reason: UNPRINTABLE, category: UNPRINTABLE, quantity: 1 }] },
  ],
  [
    "the key of a tag",
    "transaction",
    transaction({
      tags: [
        [UNPRINTABLE, "x"],
        ["plan", "pro"],
      ],
    }),
  ],
  [
    "the ids of a transaction",
    "transaction",
    transaction({ event_id: undefined, contexts: { trace: { trace_id: UNPRINTABLE } } }),
  ],
  ["the time of a transaction", "transaction", transaction({ event_id: undefined, timestamp: UNPRINTABLE })],
])("an object in place of a text in %s refuses no other item", (_what, type, payload) => {
  const { errors } = decode(item(type, payload), item("event", errorEvent()))
  expect(errors).toHaveLength(1)
})

test("an event without an id is the same event however often it arrives, and no other", () => {
  const idOf = (changes: object) => {
    const { event_id: _, timestamp: __, ...event } = errorEvent()
    return decodeBytes(Buffer.from(`{}\n{"type":"event"}\n${JSON.stringify({ ...event, ...changes })}`)).errors[0]
      ?.eventId
  }
  expect(idOf({})).toBe(idOf({}))
  expect(idOf({ extra: { order: 1 } })).not.toBe(idOf({ extra: { order: 2 } }))
})
