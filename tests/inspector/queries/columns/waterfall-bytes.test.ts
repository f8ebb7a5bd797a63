import { expect, it } from "vitest"
import { decodeWaterfall, encodeWaterfall } from "#otel/inspector/queries/trace/columns/waterfall-bytes.ts"
import { layOut } from "#otel/inspector/queries/trace/waterfall.ts"
import { makeSpan } from "../make-span.ts"
import { outlineOf } from "../make-waterfall.ts"

const exception = { time: makeSpan(2).startTime, name: "exception", attributes: new Map() }

it.each([
  ["no spans", []],
  ["one span", [makeSpan(1)]],
  [
    "names of other scripts",
    [makeSpan(1, { name: "GET /gâteaux/鮨" }), makeSpan(2, { parent: 1, events: [exception] })],
  ],
  ["a missing parent", [1, 2, 3].map((number) => makeSpan(number, { parent: 9, from: BigInt(number) }))],
])("a waterfall of %s is the same after its transfer", (_what, spans) => {
  const waterfall = layOut(outlineOf(spans))
  expect(decodeWaterfall(encodeWaterfall(waterfall).buffer)).toEqual(waterfall)
})
