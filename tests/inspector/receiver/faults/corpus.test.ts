import { expect, test } from "vitest"
import { encodeJson, request, span } from "#tests/protocol/otlp/requests.ts"
import { addToCorpus, readCorpus } from "../fuzz.ts"
import { post, startReceiver, temporaryDirectory } from "../receiver-under-test.ts"

const CORPUS = readCorpus()

test("each request that an attack or a fuzzer found is answered 2xx or 4xx, and the next one is served", async () => {
  const { receiver, sink } = await startReceiver()
  expect(CORPUS.length).toBeGreaterThan(5)
  for (const { what, handler, headers, body } of CORPUS) {
    const { status } = await receiver[handler](post(body, headers))
    expect([what, status >= 200 && status < 500]).toStrictEqual([what, true])
    expect((await receiver.traces(post(encodeJson(request(span()))))).status).toBe(200)
  }
  expect(receiver.bodies.reserved).toBe(0)
  await receiver.close()
  expect(sink.spans.length).toBeGreaterThanOrEqual(CORPUS.length)
})

test("what a fuzzer finds is read back as it was, and once", async () => {
  const folder = await temporaryDirectory()
  const found = { what: "bytes", handler: "logs", headers: { a: "b" }, body: new Uint8Array([0, 255, 10]) } as const
  addToCorpus(found, folder)
  addToCorpus(found, folder)
  expect(readCorpus(folder)).toStrictEqual([{ ...found, body: Buffer.from(found.body) }])
})
