import { attributeText } from "#otel/inspector/queries/filters.ts"
import type { AttributeRow } from "#otel/inspector/queries/trace/span-detail.ts"

/** Longest key or value in a filter, which keeps URLs short. In characters. */
const VALUE_LIMIT = 200

/** Whether an attribute can be used as a filter: a plain value on one short line. */
export function canBeFilter({ key, type, text, cutFrom }: AttributeRow): boolean {
  const isPlain = type === "text" || type === "number" || type === "boolean"
  const isWhole = cutFrom === undefined && text !== "" && text.length <= VALUE_LIMIT
  return isPlain && isWhole && key.length <= VALUE_LIMIT && !/[\r\n"*]/.test(text) && !/[\s"=<>:]/.test(key)
}

/** URL of the trace list filtered by an attribute. */
export function filterAddress(key: string, value: string): `/traces?${string}` {
  return `/traces?${new URLSearchParams({ q: attributeText(key, value) }).toString()}`
}

/** The same filter as a search within the trace. */
export function searchOf(key: string, value: string): string {
  return `${key}=${quotedIfNeeded(value)}`
}

function quotedIfNeeded(value: string): string {
  return /[\s():<>=]/.test(value) ? `"${value}"` : value
}
