import { expect, it } from "vitest"
import { dropToJson } from "#otel/inspector/queries/drops/drop-reader.ts"
import { DROP_STAGES, type DropRecord } from "#otel/protocol/records/drop.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

const DROP: DropRecord = {
  time: nanoseconds(1_769_860_800_000_000_001n),
  stage: "ingest",
  reason: "malformed",
  category: "span",
  count: 3,
  sample: "a span without an id",
}

it("a drop has its time to the nanosecond, as text", () => {
  expect(dropToJson(DROP)).toStrictEqual({ ...DROP, time: "1769860800000000001", sender: "inspector" })
})

it("a drop says whether an observed app reported it or this inspector measured it", () => {
  const senders = DROP_STAGES.map((stage) => [stage, dropToJson({ ...DROP, stage }).sender])
  expect(Object.fromEntries(senders)).toStrictEqual({
    page: "client",
    server: "client",
    bridge: "client",
    tunnel: "client",
    ingest: "inspector",
    queue: "inspector",
    store: "inspector",
    forward: "inspector",
  })
})
