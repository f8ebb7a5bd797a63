import type { Attributes, AttributeValue } from "../../model/attributes.ts"
import type { AnyValueJson, KeyValueJson } from "./traces-json.ts"

export function attributesToJson(attributes: Attributes): KeyValueJson[] {
  const pairs: KeyValueJson[] = []
  for (const [key, value] of attributes) pairs.push({ key, value: valueToJson(value) })
  return pairs
}

function valueToJson(value: AttributeValue): AnyValueJson {
  if (value === null) return {}
  switch (typeof value) {
    case "string":
      return { stringValue: value }
    case "boolean":
      return { boolValue: value }
    case "bigint":
      return { intValue: String(value) }
    case "number":
      return { doubleValue: doubleToJson(value) }
  }
  if (value instanceof Uint8Array) return { bytesValue: base64(value) }
  if (value instanceof Map) return { kvlistValue: { values: attributesToJson(value) } }
  return { arrayValue: { values: (value as readonly AttributeValue[]).map(valueToJson) } }
}

function doubleToJson(value: number): number | "NaN" | "Infinity" | "-Infinity" {
  if (Number.isFinite(value)) return value
  return String(value) as "NaN" | "Infinity" | "-Infinity"
}

/** Spelled with `btoa` so that a page can write OTLP/JSON as well; bytes are rare and at most 64 KiB. */
function base64(bytes: Uint8Array): string {
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
