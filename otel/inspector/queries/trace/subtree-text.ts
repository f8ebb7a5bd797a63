import type { SpanRecord } from "../../../protocol/records/span.ts"
import { isSecretKey, redactAttribute } from "../../../protocol/redact.ts"
import { boundedText, delimited, DELIMITERS, stored } from "../agent-text.ts"
import { selfTimes } from "./self-time.ts"
import { valueText } from "./span-detail.ts"
import { MARK } from "./waterfall-json.ts"
import type { WaterfallTable } from "./waterfall-table.ts"

/** Limits that leave room in a prompt for the question itself. */
const SPAN_LIMIT = 400
const TEXT_LIMIT = 48_000
/** Attributes that explain a span, by the start of their names. The raw export has the others. */
const INCLUDED =
  /^(?:http\.|url\.(?:path|full|template)|db\.|rpc\.|messaging\.|error\.|exception\.|server\.address|code\.|browser\.web_vital\.|next\.|gen_ai\.)/

/** Rows of the subtree that `subtreeText` writes and needs the records of. */
export function subtreeRows(table: WaterfallTable, row: number): number[] {
  const count = Math.min((table.descendantCount[row] ?? 0) + 1, SPAN_LIMIT)
  return Array.from({ length: count }, (_, index) => row + index)
}

/**
 * A subtree as compact text for a prompt: one indented line for each span, with its start, duration, self time and error,
 * and the attributes that explain it. Omits attributes with a secret name. The last line says what was cut.
 *
 * @param records of the rows that `subtreeRows` returns.
 */
export function subtreeText(table: WaterfallTable, row: number, records: readonly SpanRecord[]): string {
  const byId = new Map(records.map((record) => [record.spanId as string, record]))
  const self = selfTimes(table)
  const rows = subtreeRows(table, row)
  const lines = [
    `Spans of one trace, each below its parent: name (service) start +duration [self time]. ${DELIMITERS}`,
    ...rows.flatMap((each) => spanLines(table, each, row, self[each] ?? 0, byId.get(table.spanId(each)))),
  ]
  const omitted = (table.descendantCount[row] ?? 0) + 1 - rows.length
  if (omitted > 0) lines.push(`(${omitted} more spans omitted)`)
  return boundedText(lines, TEXT_LIMIT)
}

function spanLines(
  table: WaterfallTable,
  row: number,
  top: number,
  self: number,
  record: SpanRecord | undefined,
): string[] {
  const indent = "  ".repeat((table.depth[row] ?? 0) - (table.depth[top] ?? 0))
  const start = milliseconds((table.offset[row] ?? 0) - (table.offset[top] ?? 0))
  const times = `${start} +${milliseconds(table.duration[row] ?? 0)} [${milliseconds(self)}]`
  const error = table.has(row, MARK.error) ? ` ERROR${suffix(record?.status.message)}` : ""
  const attributes = [...(record?.attributes ?? [])]
    .filter(([key]) => INCLUDED.test(key) && !isSecretKey(key))
    .map(([key, value]) => `${delimited(stored(key))}=${delimited(stored(redactAttribute(key, valueText(value))))}`)
  const exceptions = (record?.events ?? [])
    .filter(({ name }) => name === "exception")
    .map((event) => `exception: ${delimited(stored(exceptionText(event.attributes)))}`)
  const name = `${delimited(stored(table.name(row)))} (${delimited(stored(table.service(row)))})`
  return [`${indent}${name} ${times}${error}`, ...[...attributes, ...exceptions].map((text) => `${indent}    ${text}`)]
}

function exceptionText(attributes: SpanRecord["attributes"]): string {
  const read = (key: string) => valueText(attributes.get(`exception.${key}`) ?? null)
  return `${read("type")} ${read("message")}`.trim()
}

function suffix(message: string | undefined): string {
  return message === undefined || message === "" ? "" : `: ${delimited(stored(message))}`
}

function milliseconds(nanos: number): string {
  return `${Number((nanos / 1e6).toPrecision(3))}ms`
}
