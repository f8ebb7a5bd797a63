import { Readable } from "node:stream"
import type { ClickHouseClient } from "@clickhouse/client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ROWS_OF_BODY } from "#otel/inspector/store/insert-statement.ts"
import type { Column } from "#otel/inspector/store/rows/column.ts"
import { LowCardinalityColumn } from "#otel/inspector/store/rows/low-cardinality-column.ts"
import {
  ArrayColumn,
  AttributeColumn,
  Block,
  bool,
  cell,
  dateTime64,
  string,
  uint32,
  uint64,
} from "#otel/inspector/store/rows/native-format.ts"
import type { Attributes } from "#otel/protocol/records/attributes.ts"
import { clientOf, processOfFile } from "./process/processes.ts"

/** Columns in ClickHouse's Native format, read back by the engine. */

const port = processOfFile()
let client: ClickHouseClient
let tables = 0

beforeAll(() => {
  client = clientOf(port())
})
afterAll(() => client.close())

/** Inserts the values into a table with one column of this type, and reads them back with an expression. */
async function stored<Value>(
  column: Column<Value>,
  values: readonly Value[],
  expression = "Value",
): Promise<unknown[]> {
  const table = `t${(tables += 1)}`
  await client.command({
    query: `CREATE TABLE ${table} (Position UInt32, Value ${column.type}) ENGINE = MergeTree ORDER BY Position`,
  })
  const block = new Block<readonly [number, Value]>({
    Position: cell(uint32(), ([position]) => position),
    Value: cell(column, ([, value]) => value),
  })
  for (const [position, value] of values.entries()) block.add([position, value])
  const { stream } = await client.exec({
    query: `INSERT INTO ${table} (Position, Value) ${ROWS_OF_BODY} FORMAT Native`,
    values: Readable.from([block.encode()], { objectMode: false }),
  })
  await stream.toArray()
  const answer = await client.query({
    query: `SELECT ${expression} AS result FROM ${table} ORDER BY Position`,
    format: "JSONEachRow",
  })
  return (await answer.json<{ result: unknown }>()).map((row) => row.result)
}

const TEXTS = [
  "",
  "a",
  "é",
  "☃ and 🦊",
  'nul \0, quote ", backslash \\, line\nbreak',
  "a".repeat(64),
  "b".repeat(65),
  `${"c".repeat(63)}é`,
  `${"c".repeat(127)}☃`,
  "d".repeat(127),
  "e".repeat(128),
  "f".repeat(16_384),
  "🦊".repeat(50_000),
]

describe("text of every length and kind is read back unchanged", () => {
  test("as String", async () => {
    expect(await stored(string(), TEXTS)).toStrictEqual(TEXTS)
  })

  test("as LowCardinality, with each text written once", async () => {
    expect(await stored(new LowCardinalityColumn(), [...TEXTS, ...TEXTS])).toStrictEqual([...TEXTS, ...TEXTS])
  })

  test("with half a surrogate pair replaced by U+FFFD", async () => {
    expect(await stored(string(), ["a\ud800b", "\udc00"])).toStrictEqual(["a\ufffdb", "\ufffd"])
  })
})

test.each([1, 256, 257, 65_536, 65_537])("%d distinct texts are read back unchanged", async (count) => {
  const values = Array.from({ length: count }, (_, index) => `word ${index}`)
  expect(await stored(new LowCardinalityColumn(), values)).toStrictEqual(values)
})

test("numbers are read back to the last digit", async () => {
  const big = [0n, 1n, 2n ** 53n + 1n, 2n ** 64n - 1n]
  expect(await stored(uint64(), big, "toString(Value)")).toStrictEqual(big.map(String))
  expect(await stored(uint32(), [0, 1, 2 ** 32 - 1])).toStrictEqual([0, 1, 2 ** 32 - 1])
  expect(await stored(bool(), [true, false])).toStrictEqual([true, false])
  const times = [0n, 1_763_000_000_123_456_789n]
  expect(await stored(dateTime64(), times, "toString(toUnixTimestamp64Nano(Value))")).toStrictEqual(times.map(String))
})

test("arrays are read back unchanged: empty, long, of texts, all of them empty", async () => {
  const lists = [[], ["a"], ["", "b", "a"], [], Array.from({ length: 1_000 }, (_, index) => `w${index}`)]
  expect(await stored(new ArrayColumn(string()), lists)).toStrictEqual(lists)
  expect(await stored(new ArrayColumn(new LowCardinalityColumn()), lists)).toStrictEqual(lists)
  expect(await stored(new ArrayColumn(new LowCardinalityColumn()), [[], []])).toStrictEqual([[], []])
})

describe("attributes in the Native format", () => {
  const bag: Attributes = new Map<string, string | bigint>([
    ["b", "2"],
    ["a", 1n],
    ["", "no name"],
  ])
  const other: Attributes = new Map([["b", "☃"]])
  const none: Attributes = new Map()
  const expression = "arrayZip(mapKeys(Value), mapValues(Value))"
  const entries = (attributes: Attributes) => [...attributes].map(([key, value]) => [key, String(value)])

  test("are read back in their order, also if rows share them", async () => {
    const rows = [bag, bag, none, none, other, bag, other, other]
    expect(await stored(new AttributeColumn(), rows, expression)).toStrictEqual(rows.map(entries))
  })

  test("are read back if no row has any", async () => {
    expect(await stored(new AttributeColumn(), [none, none], expression)).toStrictEqual([[], []])
  })

  test("are read back from within arrays", async () => {
    const rows = [[bag, bag], [], [none], [other, bag]]
    const ofLists = "arrayMap(bag -> arrayZip(mapKeys(bag), mapValues(bag)), Value)"
    expect(await stored(new ArrayColumn(new AttributeColumn()), rows, ofLists)).toStrictEqual(
      rows.map((row) => row.map(entries)),
    )
  })
})
