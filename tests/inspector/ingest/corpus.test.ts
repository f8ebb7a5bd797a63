import { expect, test } from "vitest"
import { encodeJson, request, span } from "#tests/protocol/otlp/requests.ts"
import { addToCorpus, readCorpus, replay } from "#tests/support/fuzz.ts"
import type { ReceiverRequest } from "./mutate.ts"
import { post, startReceiver, temporaryDirectory } from "./receiver-under-test.ts"

test("each request that an attack or a fuzzer found is answered 2xx or 4xx, and the next one is served", async () => {
  const { receiver, sink } = await startReceiver()
  const count = await replay<ReceiverRequest>({
    name: "receiver",
    async run({ handler, headers, body }) {
      const { status } = await receiver[handler](post(body, headers))
      expect(status >= 200 && status < 500).toBe(true)
      expect((await receiver.traces(post(encodeJson(request(span()))))).status).toBe(200)
      return [status]
    },
  })
  expect(count).toBeGreaterThan(5)
  expect(receiver.bodies.reserved).toBe(0)
  await receiver.close()
  expect(sink.spans.length).toBeGreaterThanOrEqual(count)
})

test("what a fuzzer finds is read back as it was, and once", async () => {
  const corpora = await temporaryDirectory()
  const input = { handler: "logs", headers: { a: "b" }, parts: [new Uint8Array([0, 255, 10]), Buffer.from("x")] }
  addToCorpus("some", "bytes", input, corpora)
  addToCorpus("some", "bytes", input, corpora)
  const parts = input.parts.map((part) => Buffer.from(part))
  expect(readCorpus("some", corpora)).toStrictEqual([{ what: "bytes", input: { ...input, parts } }])
  expect(readCorpus("other", corpora)).toStrictEqual([])
})
