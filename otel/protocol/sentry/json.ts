import { scanJson } from "../otlp/decode-message.ts"

export type JsonObject = Readonly<Record<string, unknown>>

const NOTHING: JsonObject = Object.freeze({})

/** Parses bytes as JSON at a bounded cost; `undefined` for what is not JSON or costs too much. Long integers come as text. */
export function parseJson(bytes: Uint8Array): unknown {
  const scan = scanJson(bytes)
  if (!scan.ok) return undefined
  try {
    return JSON.parse(scan.text)
  } catch {
    // The only failure is that it is no JSON, which the answer says.
    return undefined
  }
}

export function parseObject(bytes: Uint8Array): JsonObject | undefined {
  const value = parseJson(bytes)
  return isObject(value) ? value : undefined
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The object, or an empty one. Its keys come from outside: read it by names that we know. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : NOTHING
}

/** The list, also in the form `{ values: [...] }` that Sentry's interfaces have; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const { values } = objectOf(value)
  return Array.isArray(values) ? values : []
}
