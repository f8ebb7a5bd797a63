import { expect, test } from "vitest"
import type { ClickHouse } from "#otel/inspector/store/clickhouse.ts"
import { insertRecords } from "#otel/inspector/store/writer/insert-records.ts"
import { encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch, type RecordBatch } from "#otel/protocol/records/batch.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { log } from "../events.ts"
import { span } from "../spans.ts"

/** A request names its resource once, and the store has it beside each row. */

const MIB = 1024 * 1024
const RESOURCE = { attributes: new Map([["process.command_args", "a".repeat(256 * 1024)]]), schemaUrl: "" }
const COUNT = 2_000

/** @returns the bytes that were inserted, and the most that buffers took meanwhile. */
async function inserted(batch: Partial<RecordBatch>): Promise<{ readonly bytes: number; readonly most: number }> {
  const order = {
    batches: [encodeBatch(recordBatch(batch))],
    batchId: "batch",
    without: new Set<never>(),
    outOfMemory: 0,
    retention: { oldest: nanoseconds(0n), now: nanoseconds(0n) },
  }
  const before = process.memoryUsage().arrayBuffers
  let [bytes, most] = [0, 0]
  const insert = async (_: string, rows: readonly Buffer[]) => {
    bytes += rows.reduce((sum, { length }) => sum + length, 0)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  await insertRecords({ insert } as unknown as ClickHouse, order)
  return { bytes, most }
}

test.each<readonly [string, Partial<RecordBatch>]>([
  ["spans", { spans: Array.from({ length: COUNT }, (_, index) => span(1, index + 1, { resource: RESOURCE })) }],
  ["logs", { logs: Array.from({ length: COUNT }, (_, index) => log(index + 1, { resource: RESOURCE })) }],
])("%s with a large resource in common are in memory a few at a time", async (_, batch) => {
  const { bytes, most } = await inserted(batch)
  expect(bytes).toBeGreaterThan(500 * MIB)
  expect(most).toBeLessThan(150 * MIB)
})
