import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { directoryOfTest } from "./directories.ts"
import { span, spanId, traceId } from "./spans.ts"
import { storeOfFile, storeOfTest } from "./stores.ts"

const store = storeOfFile()

test("a batch larger than one insert is stored in full, and once however often it is sent", async () => {
  // About 15 MB, which takes two inserts.
  const batch = Array.from({ length: 250 }, (_, index) =>
    span(1, index + 1, { attributes: new Map([["text", String(index).padEnd(60_000, "x")]]) }),
  )
  await store().insertSpans(batch, "large")
  await store().insertSpans(batch, "large")
  const found = await store().readTrace(traceId(1))
  expect(found).toHaveLength(250)
  expect(found.find((one) => one.spanId === spanId(250))?.attributes.get("text")).toHaveLength(60_000)
  const { traces } = await store().listTraces({ limit: 10 })
  expect(traces.map(({ spanCount }) => spanCount)).toStrictEqual([250])
})

test("a span whose texts end within a character is stored, with a replacement character", async () => {
  await store().insertSpans([span(2, 1, { name: "cut\ud83e", attributes: new Map([["a", "\udd8a"]]) })], "cut")
  const [found] = await store().readTrace(traceId(2))
  expect([found?.name, found?.attributes.get("a")]).toStrictEqual(["cut\ufffd", "\ufffd"])
})

test("an insert leaves no file behind, in a directory of any name", async () => {
  const dataDirectory = `${directoryOfTest()}/{a,b}*?'é 1`
  const odd = storeOfTest({ dataDirectory })
  await odd.ready()
  await odd.insertSpans([span(3, 1)], "odd")
  expect(await odd.readTrace(traceId(3))).toHaveLength(1)
  expect(
    readdirSync(dataDirectory, { recursive: true }).filter((name) => String(name).includes("insert")),
  ).toStrictEqual([])
})
