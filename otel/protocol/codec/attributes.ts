import { type Attributes, type AttributeValue, NO_ATTRIBUTES } from "../records/attributes.ts"
import type { BatchReader } from "./batch-reader.ts"
import type { BatchWriter } from "./batch-writer.ts"

const TAGS = { null: 0, true: 1, false: 2, text: 3, integer: 4, longInteger: 5, number: 6, bytes: 7, list: 8, map: 9 }

export function writeAttributes(to: BatchWriter, attributes: Attributes): void {
  to.count(attributes.size)
  for (const [key, value] of attributes) {
    to.text(key)
    writeValue(to, value)
  }
}

export function readAttributes(from: BatchReader): Attributes {
  const size = from.count()
  if (size === 0) return NO_ATTRIBUTES
  const attributes = new Map<string, AttributeValue>()
  for (let index = 0; index < size; index += 1) {
    const key = from.text()
    attributes.set(key, readValue(from))
  }
  return attributes
}

export function writeValue(to: BatchWriter, value: AttributeValue): void {
  switch (typeof value) {
    case "string":
      to.tag(TAGS.text)
      return to.text(value)
    case "number":
      to.tag(TAGS.number)
      return to.number(value)
    case "bigint":
      return writeInteger(to, value)
    case "boolean":
      return to.tag(value ? TAGS.true : TAGS.false)
    default:
      return writeObject(to, value)
  }
}

function writeInteger(to: BatchWriter, value: bigint): void {
  const isLong = BigInt.asIntN(64, value) !== value
  to.tag(isLong ? TAGS.longInteger : TAGS.integer)
  if (isLong) to.text(String(value))
  else to.integer(value)
}

function writeObject(to: BatchWriter, value: Exclude<AttributeValue, string | number | bigint | boolean>): void {
  if (value === null) to.tag(TAGS.null)
  else if (value instanceof Map) {
    to.tag(TAGS.map)
    writeAttributes(to, value)
  } else if (value instanceof Uint8Array) {
    to.tag(TAGS.bytes)
    to.bytes(value)
  } else {
    to.tag(TAGS.list)
    to.list(value as readonly AttributeValue[], writeValue)
  }
}

export function readValue(from: BatchReader): AttributeValue {
  const tag = from.tag()
  switch (tag) {
    case TAGS.text:
      return from.text()
    case TAGS.number:
      return from.number()
    case TAGS.integer:
      return from.integer()
    case TAGS.longInteger:
      return BigInt(from.text())
    case TAGS.true:
      return true
    case TAGS.false:
      return false
    case TAGS.bytes:
      return from.bytes()
    case TAGS.list:
      return from.list(readValue)
    case TAGS.map:
      return readAttributes(from)
    case TAGS.null:
      return null
    default:
      throw new Error(`no attribute value has the tag ${tag}`)
  }
}
