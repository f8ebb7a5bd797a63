import { serialize } from "node:v8"
import { describe, expect, test } from "vitest"
import { decodeBatch, encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { spanRecord, spanRecords } from "#tests/inspector/ingest/span-records.ts"
import { Random } from "#tests/protocol/otlp/random.ts"
import { randomBatch } from "./random-batch.ts"

const withValue = (value: AttributeValue) =>
  recordBatch({ spans: [spanRecord(1, { attributes: new Map([["value", value]]) })] })

describe("a batch that is encoded and decoded", () => {
  test("is equal, for 500 generated batches with all kinds of records", () => {
    const random = new Random(20_261_122)
    for (let round = 0; round < 500; round += 1) {
      const batch = randomBatch(random)
      expect(decodeBatch(encodeBatch(batch))).toStrictEqual(batch)
    }
  })

  test.each<[string, AttributeValue]>([
    ["negative zero", -0],
    ["NaN", Number.NaN],
    ["negative infinity", Number.NEGATIVE_INFINITY],
    ["the smallest number", Number.MIN_VALUE],
    ["the largest integer of 64 bits", 2n ** 63n - 1n],
    ["the smallest integer of 64 bits", -(2n ** 63n)],
    ["a larger integer", 2n ** 64n + 1n],
    ["text of 63 letters", "a".repeat(63)],
    ["text of 64 letters", "a".repeat(64)],
    ["text of 64 letters, the last in another script", `${"a".repeat(63)}日`],
    ["short text in another script", "naïve 日本語"],
    ["a lone high surrogate", "a\ud83d"],
    ["lone low surrogates", "\ude00".repeat(70)],
    ["empty text", ""],
    ["bytes", new Uint8Array([0, 255])],
    ["no bytes", new Uint8Array()],
    ["null", null],
    ["nested lists and maps", [[], [null, [false, 1n]], new Map([["__proto__", new Map([["", true]])]])]],
  ])("keeps %s", (_what, value) => {
    expect(decodeBatch(encodeBatch(withValue(value)))).toStrictEqual(withValue(value))
  })

  test("keeps a shared object shared", () => {
    const { spans } = decodeBatch(encodeBatch(recordBatch({ spans: spanRecords(3) })))
    expect(spans[2]?.resource).toBe(spans[0]?.resource)
    expect(spans[2]?.scope).toBe(spans[0]?.scope)
  })

  test("does not change when later batches are encoded", () => {
    const bytes = encodeBatch(recordBatch({ spans: spanRecords(2) }))
    encodeBatch(withValue("x".repeat(100_000)))
    expect(decodeBatch(bytes)).toStrictEqual(recordBatch({ spans: spanRecords(2) }))
  })

  test("is read from a part of a larger buffer", () => {
    const batch = recordBatch({ spans: spanRecords(2), items: randomBatch(new Random(3)).items })
    const bytes = encodeBatch(batch)
    const around = new Uint8Array(bytes.length + 20).fill(7)
    around.set(bytes, 10)
    expect(decodeBatch(around.subarray(10, 10 + bytes.length))).toStrictEqual(batch)
  })

  test("throws if the bytes are not those of a batch, and invents no records", () => {
    const bytes = Buffer.from(encodeBatch(recordBatch({ spans: spanRecords(1) })))
    // Without the table of strings, no string can be resolved.
    expect(() => decodeBatch(bytes.subarray(0, 5 + bytes.readUInt32LE(1)))).toThrow("a string of the batch is missing")
  })

  test("is equal after a batch that could not be encoded", () => {
    const broken = spanRecord(1, { startTime: 5 as never })
    expect(() => encodeBatch(recordBatch({ spans: [spanRecord(2), broken] }))).toThrow(TypeError)
    expect(decodeBatch(encodeBatch(recordBatch({ spans: spanRecords(2) })))).toStrictEqual(
      recordBatch({ spans: spanRecords(2) }),
    )
  })
})

describe("a journal", () => {
  test("in this format is read by later versions", () => {
    // Encoded by the first version of the format. A change that makes this fail needs a new format.
    const earlier = Buffer.from(FORMAT_1, "base64")
    expect(decodeBatch(earlier)).toStrictEqual(recordBatch({ spans: spanRecords(2) }))
  })

  test("in the structured clone of earlier versions is read", () => {
    const batch = randomBatch(new Random(5))
    expect(decodeBatch(serialize(batch))).toStrictEqual(batch)
    expect(decodeBatch(serialize(batch.spans))).toStrictEqual(recordBatch({ spans: batch.spans }))
  })
})

const FORMAT_1 =
  "AXYAAAACAQIAAwEEBQAA8yOEW9cYQEICJIRb1xgGAwMHAwgJBMgAAAAAAAAACgcDAQIDAAAAAAAAAQsDDAMADQMADg8QAAMBEQUB" +
  "APMjhFvXGEFCAiSEW9cYBgMDBwMICQTIAAAAAAAAAAoHAwECAwAAAAAAAQIOAAAAQDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw" +
  "MDAwMDAxIDAwMDAwMDAwMDAwMDAwMDEADHNwYW4gMAxzZXJ2ZXIKdW5zZXQQdXJsLnBhdGgCLzJodHRwLnJlc3BvbnNlLnN0YXR1" +
  "c19jb2RlDGRpZ2VzdBhzZXJ2aWNlLm5hbWUIc2hvcAh0ZXN0CG90bHBAMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDIg" +
  "MDAwMDAwMDAwMDAwMDAwMgxzcGFuIDE="
