import { describe, expect, test } from "vitest"
import { ITEM_PAYLOAD_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import { envelope, errorEvent, item, type Json, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { openHouse, type OpenHouse } from "./running-inspector.ts"

const EVENT_ID = "a1".repeat(16)
const TRACE_ID = "b2".repeat(16)
const ROOT_ID = "c3".repeat(8)
const CHILD_ID = "d4".repeat(8)
const second = Date.now() / 1_000 - 60

const header = { event_id: EVENT_ID, sdk: { name: "sentry.javascript.node", version: "11.0.0" } }
const recentError = errorEvent({ event_id: EVENT_ID, timestamp: second })

async function send({ url }: OpenHouse, body: Uint8Array): Promise<number> {
  const response = await fetch(`${url}/api/1/envelope/`, { method: "POST", body: body as Uint8Array<ArrayBuffer> })
  return response.status
}

/** An envelope whose last item is bytes, with the header as it stands. */
function withBytes(itemHeader: Json, bytes: Uint8Array, ...before: [Json, Json][]): Uint8Array {
  return Buffer.concat([envelope(header, ...before), Buffer.from(`${JSON.stringify(itemHeader)}\n`), bytes])
}

async function itemsOf(house: OpenHouse, query: string, count: number): Promise<Json[]> {
  return waitFor(`${count} items of ${query}`, async () => {
    const { items } = await house.read(`/api/items${query}`)
    return items.length === count && items
  })
}

test("an attachment comes back byte for byte as a file that no browser shows, of the event that it came with", async () => {
  const house = await openHouse()
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) & 0xff))
  const type = { type: "attachment", length: bytes.length, filename: "core.dmp", attachment_type: "event.minidump" }
  const body = withBytes(type, bytes, item("event", recentError))
  expect(await send(house, body)).toBe(200)
  expect(await send(house, body)).toBe(200)
  const items = await itemsOf(house, `?event=${EVENT_ID}`, 2)
  const attachment = items.find(({ type: each }) => each === "attachment")
  expect(attachment).toMatchObject({ eventId: EVENT_ID, fileName: "core.dmp", byteLength: 70_000, cuts: [] })
  const file = await house.download(attachment.itemId)
  expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), bytes)).toBe(0)
  expect(Object.fromEntries(file.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="core.dmp"; filename*=UTF-8''core.dmp`,
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(/default-src 'none'.*sandbox$/),
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  })
  await house.inspector.receiver.drops.flush()
  expect((await house.read("/api/dropped")).dropped).toStrictEqual([])
  expect((await house.download("0".repeat(32))).status).toBe(404)
  expect((await house.download("../../etc/passwd")).status).toBe(400)
})

test.each<[told: string, offered: string]>([
  ["../../etc/passwd", "passwd"],
  ["C:\\windows\\evil.exe", "evil.exe"],
  ['a"; filename="x.html\r\nset-cookie: a=b', "a_; filename=_x.html_set-cookie_ a=b"],
  ["\u202Egnp.exe", "_gnp.exe"],
  ["....", ""],
  ["\u0000\u0007", ""],
  ["überraschung 日本.txt", "überraschung 日本.txt"],
  [`${"n".repeat(500)}.tar.gz`, `${"n".repeat(40)}…${"n".repeat(33)}.tar.gz`],
])("a file that was called %j is offered as %j", async (told, offered) => {
  const house = await openHouse()
  await send(house, envelope(header, item("attachment", "<script>alert(1)</script>", { filename: told })))
  const [attachment] = await itemsOf(house, "", 1)
  expect(attachment.fileName).toBe(told)
  const file = await house.download(attachment.itemId)
  const disposition = file.headers.get("content-disposition") ?? ""
  expect(disposition).toMatch(/^attachment; filename="[\u0020-\u007e]+"; filename\*=UTF-8''[\w.!~*%-]+$/)
  const name = decodeURIComponent(disposition.split("''")[1] ?? "")
  expect(name).toBe(offered === "" ? `attachment-${attachment.itemId}.bin` : offered)
  expect(await file.text()).toBe("<script>alert(1)</script>")
})

describe("a sender that lies", () => {
  test("about a length has the whole envelope refused, and nothing of it is kept", async () => {
    const house = await openHouse()
    for (const length of [10, 1_000_000, -1, 1e300, "5"])
      expect(
        await send(house, withBytes({ type: "attachment", length }, Buffer.from("12345"), item("event", recentError))),
      ).toBe(400)
    expect(await send(house, withBytes({ type: "attachment", length: 5 }, Buffer.from("12345")))).toBe(200)
    expect(await itemsOf(house, "", 1)).toMatchObject([{ type: "attachment", byteLength: 5 }])
    expect((await house.read("/api/errors")).issues).toStrictEqual([])
  })

  test("about its size has the first 5 MiB kept, which says so and is counted; past 20 MiB it is refused", async () => {
    const house = await openHouse()
    const bytes = Buffer.alloc(ITEM_PAYLOAD_LIMIT_BYTES + 1_000_000, 0xfe)
    expect(await send(house, withBytes({ type: "attachment", length: bytes.length }, bytes))).toBe(200)
    const [attachment] = await itemsOf(house, "", 1)
    expect(attachment).toMatchObject({ byteLength: bytes.length, cuts: [{ reason: "too_large", count: 1 }] })
    const file = await (await house.download(attachment.itemId)).arrayBuffer()
    expect(Buffer.compare(Buffer.from(file), bytes.subarray(0, ITEM_PAYLOAD_LIMIT_BYTES))).toBe(0)
    const huge = Buffer.alloc(21 * 1024 * 1024, 0xfe)
    expect(await send(house, withBytes({ type: "attachment", length: huge.length }, huge)).catch(() => 413)).toBe(413)
    await house.inspector.receiver.drops.flush()
    const { dropped: drops } = await house.read("/api/dropped")
    expect(drops.map(({ stage, reason, category, count }: Json) => [stage, reason, category, count])).toEqual(
      expect.arrayContaining([
        ["ingest", "too_large", "attachment", 1],
        ["ingest", "too_large", "default", 1],
      ]),
    )
  })
})

test("the transaction that brought a span is found from it, and from the spans that ran in it", async () => {
  const house = await openHouse()
  const [child] = transaction().spans
  const event = transaction({
    event_id: EVENT_ID,
    start_timestamp: second,
    timestamp: second + 1,
    contexts: { trace: { trace_id: TRACE_ID, span_id: ROOT_ID } },
    spans: [
      {
        ...child,
        trace_id: TRACE_ID,
        span_id: CHILD_ID,
        parent_span_id: ROOT_ID,
        start_timestamp: second,
        timestamp: second,
      },
    ],
  })
  await send(house, envelope(header, item("transaction", event)))
  const [found] = await itemsOf(house, `?trace=${TRACE_ID}&span=${CHILD_ID},${ROOT_ID}`, 1)
  expect(found).toMatchObject({ type: "transaction", eventId: EVENT_ID, spanId: ROOT_ID })
  expect(await (await house.download(found.itemId)).json()).toStrictEqual({ ...event, spans: 1 })
  expect((await house.read(`/api/items?trace=${TRACE_ID}&span=${CHILD_ID}`)).items).toStrictEqual([])
  for (const wrong of ["?event=1", "?trace=x&span=y", `?trace=${TRACE_ID}`, `?trace=${TRACE_ID}&span=x`])
    expect([wrong, await house.read(`/api/items${wrong}`)]).toStrictEqual([wrong, undefined])
})
