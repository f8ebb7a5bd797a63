import type { AttributeRow } from "#otel/inspector/queries/trace/span-detail.ts"

/** Attributes of one place in a source file: the path, the line and the column, by their current names and their former ones. */
const PLACES = [
  ["code.file.path", "code.line.number", "code.column.number"],
  ["code.filepath", "code.lineno", "code.column"],
] as const

/**
 * The place in a source file that an attribute names with its siblings, such as `app/cart.ts:12:7`; `undefined` for all but the
 * attribute with the path.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/registry/attributes/code/
 */
export function sourcePlace({ key, text }: AttributeRow, siblings: readonly AttributeRow[]): string | undefined {
  const place = PLACES.find(([path]) => path === key)
  if (place === undefined || text === "") return undefined
  const [, lineKey, columnKey] = place
  const numberOf = (name: string) => siblings.find((row) => row.key === name && /^\d{1,9}$/.test(row.text))?.text
  const line = numberOf(lineKey)
  return [text, line, line && numberOf(columnKey)].filter((part) => part !== undefined).join(":")
}
