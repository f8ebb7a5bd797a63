import { expect, test } from "vitest"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import { directoryOfTest } from "./directories.ts"
import { error, hex, log } from "./events.ts"
import { ago, service, span, traceId } from "./spans.ts"
import { DAY_MS, storeOfFile, storeOfTest } from "./stores.ts"

const store = storeOfFile()

async function results(trace: number, name: string) {
  const { traces } = await store().listTraces({ limit: 10, service: name })
  return { traces, spans: await store().readTrace(traceId(trace)) }
}

test("a batch that is inserted again changes no result", async () => {
  const resource = service("again")
  const error = { code: "error", message: "" } as const
  const batch = [1, 2, 3].map((id) => span(1, id, { resource, startTime: ago(1_000 - id), status: error }))
  await store().insertSpans(batch, "batch")
  const once = await results(1, "again")
  expect(once.spans).toHaveLength(3)
  expect(once.traces[0]).toMatchObject({ spanCount: 3, errorCount: 3 })
  await Promise.all([store().insertSpans(batch, "batch"), store().insertSpans(batch, "batch")])
  expect(await results(1, "again")).toStrictEqual(once)
})

test("a span that is inserted again in another batch changes no result", async () => {
  const resource = service("regrouped")
  const batch = [1, 2, 3].map((id) => span(2, 20 + id, { resource, startTime: ago(1_000 - id) }))
  await store().insertSpans(batch, "grouped")
  const once = await results(2, "regrouped")
  await store().insertSpans(batch.slice(1), "regrouped")
  await store().insertSpans([...batch, span(3, 30)], "regrouped with another")
  expect(await results(2, "regrouped")).toStrictEqual(once)
})

test("a trace whose root both protocols sent has the name and the service that OTLP sent, whichever came first", async () => {
  const root = { startTime: ago(1_000), endTime: ago(900) }
  const sent = (trace: number) => [
    span(trace, trace, { ...root, name: "middleware GET", resource: service("named-by-sentry"), source: "sentry" }),
    span(trace, trace, { ...root, name: "GET", resource: service("named") }),
  ]
  const [first, second] = [sent(0x6_001), sent(0x6_002).toReversed()]
  for (const one of [...first, ...second]) await store().insertSpans([one], `${one.name} of ${one.traceId}`)
  const { traces } = await store().listTraces({ limit: 10, service: "named" })
  expect(traces).toHaveLength(2)
  for (const { name, services } of traces) expect([name, ...services]).toEqual(["GET", "named", "named-by-sentry"])
})

test("a span that both protocols sent counts once, names both sources, and is read as OTLP sent it", async () => {
  const resource = service("both")
  const otlp = span(4, 40, { resource, startTime: ago(1_000), attributes: new Map([["n", 1n]]) })
  await store().insertSpans([{ ...otlp, source: "sentry", attributes: new Map() }, otlp], "both")
  const { traces, spans } = await results(4, "both")
  expect(traces).toMatchObject([{ spanCount: 1, sources: ["otlp", "sentry"] }])
  expect(spans).toStrictEqual([otlp])
})

test("drops that are inserted again are listed once, and equal drops of one batch are each listed", async () => {
  const drop: DropRecord = {
    time: ago(10),
    stage: "ingest",
    sender: "inspector",
    reason: "too_large",
    category: "span",
    count: 2,
    sample: "'",
  }
  await store().insertDrops([drop, drop], "drops")
  await store().insertDrops([drop, drop], "drops")
  await store().insertDrops([{ ...drop, reason: "malformed", time: ago(5) }], "more drops")
  const listed = await store().listDrops(10)
  expect(listed.map(({ reason }) => reason)).toStrictEqual(["malformed", "too_large", "too_large"])
  expect(listed[2]).toStrictEqual(drop)
  expect(await store().listDrops(1)).toHaveLength(1)
})

test("inserting nothing stores nothing", async () => {
  await expect(store().insertSpans([], "nothing")).resolves.toBeUndefined()
  await expect(store().insertDrops([], "nothing")).resolves.toBeUndefined()
})

test("half of a character, where a text was cut, spoils neither its own rows nor the others of the insert", async () => {
  const half = `cut ${"😀".slice(0, 1)}`
  const drop = { stage: "ingest", sender: "inspector", reason: "invalid", category: "default", count: 1 } as const
  await store().insertDrops(
    [
      { ...drop, time: ago(10), sample: half },
      { ...drop, time: ago(9), sample: "\\ud83d 😀" },
    ],
    "half",
  )
  const samples = (await store().listDrops(100)).flatMap(({ reason, sample }) => (reason === "invalid" ? [sample] : []))
  expect(samples).toStrictEqual(["\\ud83d 😀", "cut \ufffd"])
  await store().insertErrors([error(0x500, 0x500, { value: half }), error(0x501, 0x501)], "half of an error")
  expect(await store().readIssue(hex(0x500))).toMatchObject({ title: "TypeError: cut \ufffd" })
  expect(await store().readIssue(hex(0x501))).toMatchObject({ count: 1 })
})

test("records that expire between two attempts of a batch are the same records in both", async () => {
  let now = Date.now()
  const dependencies = { now: () => now, elapsed: () => now, random: () => 0 }
  const location = { dataDirectory: directoryOfTest() }
  const own = storeOfTest(location, { retentionMs: DAY_MS, dependencies })
  await own.ready()
  const logs = [log(0x700, { time: ago(DAY_MS - 60_000) }), log(0x701)]
  await own.insertLogs(logs, "attempts")
  now += 120_000
  await own.insertLogs(logs, "attempts")
  expect(await own.listDrops(10)).toStrictEqual([])
  await own.insertLogs([log(0x702, { time: ago(DAY_MS - 60_000) })], "later")
  expect(await own.listDrops(10)).toMatchObject([{ reason: "expired", category: "log_item", count: 1 }])
})
