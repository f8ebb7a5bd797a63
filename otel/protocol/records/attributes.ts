/**
 * An attribute's value, as the OTLP data model allows it: 64-bit integers are `bigint`, doubles `number`.
 *
 * @see https://opentelemetry.io/docs/specs/otel/common/#anyvalue
 */
export type AttributeValue =
  | string
  | boolean
  | bigint
  | number
  | Uint8Array
  | readonly AttributeValue[]
  | ReadonlyMap<string, AttributeValue>
  | null

/** Keys come from outside: a `Map` has no prototype to pollute. */
export type Attributes = ReadonlyMap<string, AttributeValue>

export const NO_ATTRIBUTES: Attributes = new Map()

/** The value as text, as the Collector's ClickHouse exporter stores it: arrays and maps as JSON, bytes as base64. */
export function attributeText(value: AttributeValue): string {
  if (typeof value === "string") return value
  if (value === null) return ""
  if (value instanceof Uint8Array) return base64(value)
  if (typeof value === "object") return jsonText(value)
  // String() drops the sign of a negative zero.
  return Object.is(value, -0) ? "-0" : String(value)
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
}

/** JSON with all digits of 64-bit integers. NaN and infinities become `null`, as in `JSON.stringify`. */
function jsonText(value: AttributeValue): string {
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return JSON.stringify(base64(value))
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`
  if (value instanceof Map)
    return `{${[...value].map(([key, inner]) => `${JSON.stringify(key)}:${jsonText(inner as AttributeValue)}`).join(",")}}`
  return JSON.stringify(value)
}
