import { ATTRIBUTE_COUNT_LIMIT, ATTRIBUTE_VALUE_LIMIT_BYTES, DEPTH_LIMIT, NAME_LIMIT_BYTES } from "../limits.ts"
import { type Attributes, type AttributeValue, NO_ATTRIBUTES } from "../records/attributes.ts"
import { cutText, ValueBudget } from "../records/value-limits.ts"
import type { RawMessage, RecordReader } from "./record-reader.ts"

/**
 * Reads `KeyValue` lists and `AnyValue`s. It truncates and counts what exceeds the limits of `otel/protocol/limits.ts`, and never
 * refuses a record for its size:
 *
 * - a bag, map or list keeps its first 1,024 entries;
 * - a value keeps 64 KiB in total: text and bytes are truncated there, lists and maps end there;
 * - lists and maps nested deeper than 64 levels become empty values;
 * - a key longer than 1 KiB is dropped with its value, since a truncated key would be another key;
 * - of equal keys the last one counts, as in a protobuf map, and the others are counted as dropped.
 *
 * A value of the wrong type, or of two types at once, makes the whole record malformed.
 */
export function readEntries(
  reader: RecordReader,
  raw: readonly unknown[],
  what: string,
  depth: number,
  budget: ValueBudget | undefined,
): ReadonlyMap<string, AttributeValue> {
  const entries = new Map<string, AttributeValue>()
  const count = countWithinLimit(reader, raw, what)
  for (let index = 0; index < count; index += 1) {
    if (budget?.hasRoom() === false) break
    const pair = reader.message(raw[index], what)
    const key = readKey(reader, pair["key"], what)
    if (key === undefined) continue
    if (entries.has(key)) reader.cut("invalid", `${what} has a key twice`)
    entries.set(budget?.spendText(key) ?? key, readValue(reader, pair["value"], what, depth, budget))
  }
  return entries
}

/** Reads a log's body, which is a single value. */
export function readBody(reader: RecordReader, value: unknown): AttributeValue {
  return readValue(reader, value, "a log's body", 1, undefined)
}

function readKey(reader: RecordReader, value: unknown, what: string): string | undefined {
  const key = reader.scalars.text(value ?? "")
  if (key === undefined) reader.fail("malformed", `a key of ${what} is not text`)
  else if (cutText(key, NAME_LIMIT_BYTES) !== key)
    reader.cut("limit_attributes", `a key of ${what} longer than ${NAME_LIMIT_BYTES} bytes`)
  else return key
  return undefined
}

function readList(reader: RecordReader, raw: readonly unknown[], what: string, depth: number, budget: ValueBudget) {
  const values: AttributeValue[] = []
  const count = countWithinLimit(reader, raw, what)
  for (let index = 0; index < count && budget.hasRoom(); index += 1)
    values.push(readValue(reader, raw[index], what, depth, budget))
  return values
}

function readValue(
  reader: RecordReader,
  value: unknown,
  what: string,
  depth: number,
  budget: ValueBudget | undefined,
): AttributeValue {
  const raw = reader.message(value, `a value of ${what}`)
  const type = typeOfValue(reader, raw, what)
  if (type === "arrayValue" || type === "kvlistValue") {
    if (depth >= DEPTH_LIMIT) {
      reader.cut("limit_attributes", `a value of ${what} nested deeper than ${DEPTH_LIMIT} levels`)
      return null
    }
    const nested = reader.messages(reader.message(raw[type], type)["values"], type)
    const shared = budget ?? new ValueBudget(reader, what)
    return type === "arrayValue"
      ? readList(reader, nested, what, depth + 1, shared)
      : readEntries(reader, nested, what, depth + 1, shared)
  }
  const plain = type === undefined ? null : readPlain(reader, type, raw[type])
  if (plain === undefined) reader.fail("malformed", `a value of ${what} is not of type ${type}`)
  return withinBudget(reader, plain ?? null, what, budget)
}

const VALUE_TYPES = [
  "stringValue",
  "boolValue",
  "intValue",
  "doubleValue",
  "arrayValue",
  "kvlistValue",
  "bytesValue",
] as const
type ValueType = (typeof VALUE_TYPES)[number]
type PlainValue = string | boolean | bigint | number | Uint8Array

function typeOfValue(reader: RecordReader, raw: RawMessage, what: string): ValueType | undefined {
  let type: ValueType | undefined
  for (const key of Object.keys(raw)) {
    if (!(VALUE_TYPES as readonly string[]).includes(key) || raw[key] === null) continue
    if (type !== undefined) reader.fail("malformed", `a value of ${what} has two types`)
    type = key as ValueType
  }
  return type
}

function readPlain(
  { scalars }: RecordReader,
  type: Exclude<ValueType, "arrayValue" | "kvlistValue">,
  value: unknown,
): PlainValue | undefined {
  switch (type) {
    case "stringValue":
      return scalars.text(value)
    case "boolValue":
      return scalars.bool(value)
    case "intValue":
      return scalars.int64(value)
    case "doubleValue":
      return scalars.double(value)
    case "bytesValue":
      return scalars.bytes(value)
  }
}

function withinBudget(
  reader: RecordReader,
  value: PlainValue | null,
  what: string,
  budget: ValueBudget | undefined,
): PlainValue | null {
  // Most values are short text without nesting, which needs no budget.
  if (typeof value === "string") {
    const isShort = budget === undefined && value.length * 3 <= ATTRIBUTE_VALUE_LIMIT_BYTES
    return isShort ? value : (budget ?? new ValueBudget(reader, what)).spendText(value)
  }
  if (value instanceof Uint8Array) return (budget ?? new ValueBudget(reader, what)).spendBytes(value)
  budget?.spendPlain()
  return value
}

/** The number of entries to read. Those beyond the limit are counted. */
export function countWithinLimit(reader: RecordReader, raw: readonly unknown[], what: string): number {
  const excess = raw.length - ATTRIBUTE_COUNT_LIMIT
  if (excess <= 0) return raw.length
  reader.cut("limit_attributes", `${what} past the first ${ATTRIBUTE_COUNT_LIMIT}`, excess)
  return ATTRIBUTE_COUNT_LIMIT
}

/** Reads the attributes of a resource, scope, span, event or link, with the limits of `readEntries`. */
export function readAttributes(reader: RecordReader, value: unknown, what: string): Attributes {
  const raw = reader.messages(value, what)
  return raw.length === 0 ? NO_ATTRIBUTES : readEntries(reader, raw, what, 1, undefined)
}
