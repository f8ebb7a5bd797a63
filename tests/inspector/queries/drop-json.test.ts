import { expect, it } from "vitest"
import { dropToJson } from "#otel/inspector/queries/drops/drop-reader.ts"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

const DROP: DropRecord = {
  time: nanoseconds(1_769_860_800_000_000_001n),
  stage: "ingest",
  sender: "inspector",
  reason: "malformed",
  category: "span",
  count: 3,
  sample: "a span without an id",
}

it("a drop has its time to the nanosecond, as text", () => {
  expect(dropToJson(DROP)).toStrictEqual({ ...DROP, time: "1769860800000000001" })
})

it("a drop says whether a client reported it or this inspector measured it, whatever its stage", () => {
  for (const sender of ["client", "inspector"] as const)
    expect(dropToJson({ ...DROP, stage: "tunnel", sender })).toMatchObject({ stage: "tunnel", sender })
})
