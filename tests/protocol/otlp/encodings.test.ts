import { expect, test } from "vitest"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import { tracesToJson } from "#otel/protocol/otlp/traces-json.ts"
import { generatedRequest } from "./generated-requests.ts"
import { Random } from "./random.ts"
import { encodeJson, encodeProtobuf, NOT_LATEST } from "./requests.ts"

test("both encodings of 1,000 generated requests give equal records and equal drops", () => {
  const random = new Random(20_261_120)
  let spans = 0
  let rejections = 0
  for (let index = 0; index < 1_000; index += 1) {
    const generated = generatedRequest(random)
    const fromJson = decodeTraces(encodeJson(generated), "json", NOT_LATEST)
    const fromProtobuf = decodeTraces(encodeProtobuf(generated), "protobuf", NOT_LATEST)
    expect(fromProtobuf).toStrictEqual(fromJson)
    if (!fromJson.ok) throw new Error(`request ${index} could not be read: ${fromJson.problem}`)
    spans += fromJson.spans.length
    rejections += fromJson.drops.filter(({ category }) => category === "span").length
  }
  expect(spans).toBeGreaterThan(1_000)
  expect(rejections).toBeGreaterThan(100)
})

test("records written as OTLP/JSON are read back unchanged", () => {
  const random = new Random(7)
  let compared = 0
  for (let index = 0; index < 300; index += 1) {
    const first = decodeTraces(encodeProtobuf(generatedRequest(random)), "protobuf", NOT_LATEST)
    if (!first.ok) throw new Error(first.problem)
    const second = decodeTraces(encodeJson(tracesToJson(first.spans)), "json", NOT_LATEST)
    if (!second.ok) throw new Error(second.problem)
    expect(new Set(second.spans)).toStrictEqual(new Set(first.spans))
    compared += first.spans.length
  }
  expect(compared).toBeGreaterThan(300)
})
