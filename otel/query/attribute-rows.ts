import type { Attributes, AttributeValue } from "../model/attributes.ts"

/** One attribute as a screen shows it. */
export interface AttributeRow {
  readonly key: string
  readonly type: "text" | "number" | "boolean" | "bytes" | "list" | "map" | "empty"
  /** The value as text; the beginning of it when it is longer than `SHOWN_TEXT_LIMIT`. */
  readonly text: string
  /** Characters of the whole value, when `text` is only its beginning. */
  readonly cutFrom: number | undefined
}

/** Characters of one value that a screen shows. The read API gives the whole of it. */
export const SHOWN_TEXT_LIMIT = 4_096

/** Sorted by key, so that the same attribute stands at the same place on each span. */
export function attributeRows(attributes: Attributes): AttributeRow[] {
  return [...attributes]
    .map(([key, value]) => ({ key, type: valueType(value), ...shown(valueText(value)) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

export function shown(text: string, limit = SHOWN_TEXT_LIMIT): Pick<AttributeRow, "text" | "cutFrom"> {
  if (text.length <= limit) return { text, cutFrom: undefined }
  return { text: text.slice(0, limit).replace(LONE_SURROGATE, ""), cutFrom: text.length }
}

const LONE_SURROGATE = /[\uD800-\uDBFF]$/

/** As a reader would write the value. Nesting is bounded by `DEPTH_LIMIT` where records come in. */
export function valueText(value: AttributeValue): string {
  if (typeof value === "string") return value
  if (value === null) return ""
  if (value instanceof Uint8Array) return hexadecimal(value)
  return typeof value === "object" ? JSON.stringify(value, asJson, 2) : String(value)
}

function asJson(_key: string, value: AttributeValue): unknown {
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return hexadecimal(value)
  return value instanceof Map ? Object.fromEntries(value) : value
}

function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ")
}

function valueType(value: AttributeValue): AttributeRow["type"] {
  if (value === null) return "empty"
  if (typeof value === "string") return "text"
  if (typeof value === "boolean") return "boolean"
  if (typeof value !== "object") return "number"
  if (value instanceof Uint8Array) return "bytes"
  return value instanceof Map ? "map" : "list"
}
