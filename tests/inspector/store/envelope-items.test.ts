import { describe, expect, test } from "vitest"
import type { ItemSummary } from "#otel/inspector/queries/errors/envelope-items.ts"
import type { ItemRecord } from "#otel/protocol/records/envelope-item.ts"
import { itemRecord } from "./items.ts"
import { ago, plus, spanId, traceId } from "./spans.ts"
import { DAY_MS, storeOfFile } from "./stores.ts"

const store = storeOfFile()

const hex = (number: number) => number.toString(16).padStart(32, "0")
function summary(item: ItemRecord): ItemSummary {
  const { payload: _, ...rest } = item
  return rest
}

describe("a payload is read back byte for byte", () => {
  test.each<[string, Uint8Array]>([
    ["nothing", Buffer.alloc(0)],
    ["every byte", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    [
      "text with a byte order mark, controls and characters of every length",
      Buffer.from("\uFEFF\u0000\r\n\\'\" é 日 🦜"),
    ],
    ["half of a character", Buffer.from("é").subarray(0, 1)],
    ["characters that take six bytes in JSON", Buffer.alloc(900_000, 1)],
    ["as many bytes as are stored", Buffer.alloc(5 * 1024 * 1024, 0xfe)],
    ["as much text as is stored", Buffer.alloc(5 * 1024 * 1024, '{"a":1},')],
  ])("%s", async (_name, payload) => {
    const item = itemRecord({ payload })
    await store().insertItems([item], item.itemId)
    const read = await store().readItem(item.itemId)
    expect(Buffer.compare(read!.payload, payload)).toBe(0)
  })
})

test("an item is read back unchanged, whatever it contains", async () => {
  const item = itemRecord({
    type: "it's \\ a type",
    time: plus(ago(1_000), 7n),
    eventId: hex(1),
    aboutEventId: hex(2),
    traceId: traceId(3),
    spanId: spanId(4),
    environment: "dev",
    release: "1.2",
    sdk: "sentry.javascript.node 11.0.0",
    facts: [["message", "naïve \u0000 日本語"]],
    contentType: "text/html; charset=utf-8",
    fileName: "../../etc/\u0007passwd\n",
    attachmentType: "event.attachment",
    byteLength: 2 ** 40,
    cuts: [{ reason: "too_large", count: 1, sample: "an item" }],
  })
  await store().insertItems([item], "unchanged")
  const { payload, ...rest } = (await store().readItem(item.itemId))!
  expect(rest).toStrictEqual(summary(item))
  expect(Buffer.from(payload).toString()).toBe("{}")
  expect(await store().readItem(hex(999_999))).toBeUndefined()
  expect(await store().readItem("' OR 1=1 --")).toBeUndefined()
})

test("an item that is inserted twice is stored once", async () => {
  const item = itemRecord({ type: "twice", eventId: hex(0x20) })
  await store().insertItems([item, item], "twice")
  await store().insertItems([{ ...item, time: plus(item.time, 5n) }], "again")
  expect(await store().readItemsOfEvent(hex(0x20))).toHaveLength(1)
  expect((await store().listItems({ limit: 10, type: "twice" })).items).toHaveLength(1)
  expect((await store().countItems()).find(({ type }) => type === "twice")).toStrictEqual({ type: "twice", count: 1 })
})

test("the items of an event are the event, its attachments, feedback about it, and the attachments of the feedback", async () => {
  const [event, attachment] = [
    itemRecord({ type: "event", eventId: hex(0x30) }),
    itemRecord({ type: "attachment", eventId: hex(0x30), fileName: "a.txt", time: ago(900) }),
  ]
  const feedback = itemRecord({ type: "feedback", eventId: hex(0x31), aboutEventId: hex(0x30), time: ago(800) })
  const screenshot = itemRecord({ type: "attachment", eventId: hex(0x31), fileName: "shot.png", time: ago(700) })
  const other = itemRecord({ type: "attachment", eventId: hex(0x32) })
  await store().insertItems([event, attachment, feedback, screenshot, other], "of an event")
  expect(await store().readItemsOfEvent(hex(0x30))).toStrictEqual(
    [event, attachment, feedback, screenshot].map(summary),
  )
  expect(await store().readItemsOfEvent(hex(0x404))).toStrictEqual([])
})

test("the events of spans are the transactions whose roots they are", async () => {
  const transaction = itemRecord({ type: "transaction", traceId: traceId(0x40), spanId: spanId(0x40) })
  await store().insertItems(
    [transaction, itemRecord({ type: "replay_event", traceId: traceId(0x40), spanId: spanId(0x40) })],
    "of a trace",
  )
  expect(await store().readEventsOfSpans(traceId(0x40), [spanId(0x41), spanId(0x40)])).toStrictEqual([
    summary(transaction),
  ])
  expect(await store().readEventsOfSpans(traceId(0x40), [spanId(0x41)])).toStrictEqual([])
  expect(await store().readEventsOfSpans(traceId(0x41), [spanId(0x40)])).toStrictEqual([])
})

test("the list has pages without gaps or repetitions, newest first, and contains events only on request", async () => {
  const base = ago(60_000)
  const type = "listed"
  const items = Array.from({ length: 30 }, (_, index) =>
    itemRecord({ type, time: plus(base, BigInt(Math.floor(index / 3))) }),
  )
  await store().insertItems([...items, itemRecord({ type: "event" })], "listed")
  for (const limit of [1, 7, 30, 1_000]) {
    const found: ItemSummary[] = []
    let after: string | undefined
    do {
      const page = await store().listItems({ limit, type, after })
      found.push(...page.items)
      after = page.next
    } while (after !== undefined)
    expect(found.map(({ itemId }) => itemId)).toStrictEqual(items.map(({ itemId }) => itemId).toReversed())
  }
  const all = (await store().listItems({ limit: 1_000 })).items
  expect(all.map((item) => item.type)).not.toContain("event")
  expect((await store().listItems({ limit: 1_000, type: "event" })).items.length).toBeGreaterThan(0)
  expect((await store().listItems({ limit: 1, type, after: "garbage'; --" })).items).toHaveLength(1)
})

test("items older than the retention count as expired once, by category, except events, which count as their records", async () => {
  const time = ago(8 * DAY_MS)
  const old = ["check_in", "event", "transaction"].map((type) => itemRecord({ type, time }))
  for (let times = 0; times < 2; times += 1) await store().insertItems(old, "old")
  expect(await store().readItem(old[0]!.itemId)).toBeUndefined()
  const expired = (await store().listDrops(100)).filter(({ reason }) => reason === "expired")
  expect(expired).toMatchObject([{ stage: "store", category: "monitor", count: 1 }])
})

test("clear deletes items", async () => {
  const item = itemRecord()
  await store().insertItems([item], "cleared")
  expect(await store().clear()).toBe(true)
  expect(await store().readItem(item.itemId)).toBeUndefined()
})
