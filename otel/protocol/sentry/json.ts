import { scanJson } from "../otlp/decode-message.ts"

export type JsonObject = Readonly<Record<string, unknown>>

const NOTHING: JsonObject = Object.freeze({})

/** Parses JSON bytes at a bounded cost. Returns `undefined` for invalid JSON or a too high cost. Long integers become text. */
export function parseJson(bytes: Uint8Array): unknown {
  const scan = scanJson(bytes)
  if (!scan.ok) return undefined
  try {
    return JSON.parse(scan.text)
  } catch {
    // The only failure is invalid JSON, which the result reports.
    return undefined
  }
}

export function parseObject(bytes: Uint8Array): JsonObject | undefined {
  const value = parseJson(bytes)
  return isObject(value) ? value : undefined
}

/** The text, or an empty one. `String` throws for some objects. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The object, or an empty one. Its keys are untrusted: read only known names. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : NOTHING
}

/** The list, also in the form `{ values: [...] }` that Sentry's interfaces have; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const { values } = objectOf(value)
  return Array.isArray(values) ? values : []
}
