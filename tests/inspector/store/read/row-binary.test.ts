import { expect, test } from "vitest"
import { RowBinaryReader } from "#otel/inspector/store/read/row-binary.ts"

/** 300 numbers, two texts of which one is empty, and a last byte. */
const bytes = Buffer.concat([
  Buffer.from([0xac, 0x02]),
  Buffer.from(new Uint32Array(300).map((_, index) => index * 70_000).buffer),
  Buffer.from([2, 0, 3]),
  Buffer.from("a\u00e9"),
  Buffer.from([1, 255]),
])
const all = {
  integers: Array.from({ length: 300 }, (_, index) => index * 70_000),
  texts: ["", "a\u00e9"],
  bytes: [255],
}

function read(pieces: readonly Uint8Array[]) {
  const reader = new RowBinaryReader(pieces)
  return { integers: [...reader.integers()], texts: reader.texts(), bytes: [...reader.bytes()] }
}

test("arrays are read from a response in any pieces", () => {
  expect(read([bytes])).toEqual(all)
  for (const size of [1, 3, 64]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
    expect(read([Buffer.alloc(0), ...pieces, Buffer.alloc(0)])).toEqual(all)
  }
})

test("a response that ends early is an error, not zeros", () => {
  for (const length of [0, 1, 500, bytes.length - 1])
    expect(() => read([bytes.subarray(0, length)])).toThrow("The response of ClickHouse ends early.")
})
