import { describe, expect, test } from "vitest"
import { ITEM_PAYLOAD_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import { envelope, errorEvent, item, type Json, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startInspector, type RunningInspector } from "#tests/inspector/ingest/running-inspector.ts"

const EVENT_ID = "a1".repeat(16)
const TRACE_ID = "b2".repeat(16)
const ROOT_ID = "c3".repeat(8)
const CHILD_ID = "d4".repeat(8)
const second = Date.now() / 1_000 - 60

const header = { event_id: EVENT_ID, sdk: { name: "sentry.javascript.node", version: "11.0.0" } }
const recentError = errorEvent({ event_id: EVENT_ID, timestamp: second })

async function send({ url }: RunningInspector, body: Uint8Array): Promise<number> {
  const response = await fetch(`${url}/api/1/envelope/`, { method: "POST", body: body as Uint8Array<ArrayBuffer> })
  return response.status
}

/** An envelope whose last item has exactly this header and these bytes. */
function withBytes(itemHeader: Json, bytes: Uint8Array, ...before: [Json, Json][]): Uint8Array {
  return Buffer.concat([envelope(header, ...before), Buffer.from(`${JSON.stringify(itemHeader)}\n`), bytes])
}

async function itemsOf(running: RunningInspector, query: string, count: number): Promise<Json[]> {
  return waitFor(`${count} items of ${query}`, async () => {
    const { items } = await running.read(`/api/items${query}`)
    return items.length === count && items
  })
}

test("an attachment is downloaded byte for byte, as a file that no browser renders, and belongs to its event", async () => {
  const running = await startInspector()
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) & 0xff))
  const type = { type: "attachment", length: bytes.length, filename: "core.dmp", attachment_type: "event.minidump" }
  const body = withBytes(type, bytes, item("event", recentError))
  expect(await send(running, body)).toBe(200)
  expect(await send(running, body)).toBe(200)
  const items = await itemsOf(running, `?event=${EVENT_ID}`, 2)
  const attachment = items.find(({ type: each }) => each === "attachment")
  expect(attachment).toMatchObject({ eventId: EVENT_ID, fileName: "core.dmp", byteLength: 70_000, cuts: [] })
  const file = await running.download(attachment.itemId)
  expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), bytes)).toBe(0)
  expect(Object.fromEntries(file.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="core.dmp"; filename*=UTF-8''core.dmp`,
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(/default-src 'none'.*sandbox$/),
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  })
  await running.inspector.receiver.drops.flush()
  expect((await running.read("/api/dropped")).dropped).toStrictEqual([])
  expect((await running.download("0".repeat(32))).status).toBe(404)
  expect((await running.download("../../etc/passwd")).status).toBe(400)
})

const DOWNLOAD_NAMES: readonly [fileName: string, downloadName: string][] = [
  ["../../etc/passwd", "passwd"],
  ["C:\\windows\\evil.exe", "evil.exe"],
  ['a"; filename="x.html\r\nset-cookie: a=b', "a_; filename=_x.html_set-cookie_ a=b"],
  ["\u202Egnp.exe", "_gnp.exe"],
  ["....", ""],
  ["\u0000\u0007", ""],
  ["überraschung 日本.txt", "überraschung 日本.txt"],
  [`${"n".repeat(500)}.tar.gz`, `${"n".repeat(40)}…${"n".repeat(33)}.tar.gz`],
]

test("a file is downloaded under a name that is safe in a header and on every file system", async () => {
  const running = await startInspector()
  for (const [fileName] of DOWNLOAD_NAMES)
    await send(running, envelope(header, item("attachment", "<script>alert(1)</script>", { filename: fileName })))
  const attachments = await itemsOf(running, "", DOWNLOAD_NAMES.length)
  for (const [fileName, downloadName] of DOWNLOAD_NAMES) {
    const attachment = attachments.find((each) => each.fileName === fileName)
    const file = await running.download(attachment?.itemId)
    const disposition = file.headers.get("content-disposition") ?? ""
    expect(disposition).toMatch(/^attachment; filename="[\u0020-\u007e]+"; filename\*=UTF-8''[\w.!~*%-]+$/)
    const name = decodeURIComponent(disposition.split("''")[1] ?? "")
    expect([fileName, name]).toEqual([
      fileName,
      downloadName === "" ? `attachment-${attachment?.itemId}.bin` : downloadName,
    ])
    expect(await file.text()).toBe("<script>alert(1)</script>")
  }
})

describe("an envelope with a wrong length", () => {
  test("is refused as a whole, and nothing of it is stored", async () => {
    const running = await startInspector()
    for (const length of [10, 1_000_000, -1, 1e300, "5"])
      expect(
        await send(
          running,
          withBytes({ type: "attachment", length }, Buffer.from("12345"), item("event", recentError)),
        ),
      ).toBe(400)
    expect(await send(running, withBytes({ type: "attachment", length: 5 }, Buffer.from("12345")))).toBe(200)
    expect(await itemsOf(running, "", 1)).toMatchObject([{ type: "attachment", byteLength: 5 }])
    expect((await running.read("/api/errors")).issues).toStrictEqual([])
  })

  test("that exceeds 5 MiB is truncated and counted, and refused past 20 MiB", async () => {
    const running = await startInspector()
    const bytes = Buffer.alloc(ITEM_PAYLOAD_LIMIT_BYTES + 1_000_000, 0xfe)
    expect(await send(running, withBytes({ type: "attachment", length: bytes.length }, bytes))).toBe(200)
    const [attachment] = await itemsOf(running, "", 1)
    expect(attachment).toMatchObject({ byteLength: bytes.length, cuts: [{ reason: "too_large", count: 1 }] })
    const file = await (await running.download(attachment.itemId)).arrayBuffer()
    expect(Buffer.compare(Buffer.from(file), bytes.subarray(0, ITEM_PAYLOAD_LIMIT_BYTES))).toBe(0)
    const huge = Buffer.alloc(21 * 1024 * 1024, 0xfe)
    expect(await send(running, withBytes({ type: "attachment", length: huge.length }, huge)).catch(() => 413)).toBe(413)
    await running.inspector.receiver.drops.flush()
    const { dropped: drops } = await running.read("/api/dropped")
    expect(drops.map(({ stage, reason, category, count }: Json) => [stage, reason, category, count])).toEqual(
      expect.arrayContaining([
        ["ingest", "too_large", "attachment", 1],
        ["ingest", "too_large", "default", 1],
      ]),
    )
  })
})

test("the transaction of a span is found by the span's id and by its root's", async () => {
  const running = await startInspector()
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
  await send(running, envelope(header, item("transaction", event)))
  const [found] = await itemsOf(running, `?trace=${TRACE_ID}&span=${CHILD_ID},${ROOT_ID}`, 1)
  expect(found).toMatchObject({ type: "transaction", eventId: EVENT_ID, spanId: ROOT_ID })
  expect(await (await running.download(found.itemId)).json()).toStrictEqual({ ...event, spans: 1 })
  expect((await running.read(`/api/items?trace=${TRACE_ID}&span=${CHILD_ID}`)).items).toStrictEqual([])
  for (const wrong of ["?event=1", "?trace=x&span=y", `?trace=${TRACE_ID}`, `?trace=${TRACE_ID}&span=x`])
    expect([wrong, await running.read(`/api/items${wrong}`)]).toStrictEqual([wrong, undefined])
})
