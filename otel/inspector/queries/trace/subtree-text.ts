import type { SpanRecord } from "../../../protocol/records/span.ts"
import { selfTimes } from "./self-time.ts"
import { shown, valueText } from "./span-detail.ts"
import { MARK } from "./waterfall-json.ts"
import type { WaterfallTable } from "./waterfall-table.ts"

/** Lines and characters at most: what fits into a question to a language model beside the question. */
const SPAN_LIMIT = 400
const TEXT_LIMIT = 48_000
const VALUE_LIMIT = 200
/** Attributes that explain a span, by how its name begins; all others are left to the raw export. */
const TELLING =
  /^(?:http\.|url\.(?:path|full|template)|db\.|rpc\.|messaging\.|error\.|exception\.|server\.address|code\.|browser\.web_vital\.|next\.|gen_ai\.)/
/** Never handed on. */
const SECRET = /authorization|cookie|passw|secret|token|api[_-]?key|credential/i

/** Rows of a subtree that are written; their attributes have to be read for it. */
export function subtreeRows(table: WaterfallTable, row: number): number[] {
  const count = Math.min((table.descendantCount[row] ?? 0) + 1, SPAN_LIMIT)
  return Array.from({ length: count }, (_, index) => row + index)
}

/**
 * A subtree as compact text, to be pasted into a question to a language model: a line a span, indented, with start, duration
 * and self time, what went wrong, and the few attributes that explain it. Attributes that are named like secrets are left
 * out, and what was cut is said at the end.
 *
 * @param records of the rows that `subtreeRows` names.
 */
export function subtreeText(table: WaterfallTable, row: number, records: readonly SpanRecord[]): string {
  const byId = new Map(records.map((record) => [record.spanId as string, record]))
  const self = selfTimes(table)
  const rows = subtreeRows(table, row)
  const lines = [
    `Spans of one trace, each below its parent: name (service) start +duration [self time].`,
    ...rows.map((each) => spanLine(table, each, row, self[each] ?? 0, byId.get(table.spanId(each)))),
  ]
  const left = (table.descendantCount[row] ?? 0) + 1 - rows.length
  if (left > 0) lines.push(`(${left} more spans below are left out)`)
  const text = lines.join("\n")
  return text.length <= TEXT_LIMIT ? text : `${shown(text, TEXT_LIMIT).text}\n(cut here, at ${TEXT_LIMIT} characters)`
}

function spanLine(
  table: WaterfallTable,
  row: number,
  top: number,
  self: number,
  record: SpanRecord | undefined,
): string {
  const indent = "  ".repeat((table.depth[row] ?? 0) - (table.depth[top] ?? 0))
  const start = milliseconds((table.offset[row] ?? 0) - (table.offset[top] ?? 0))
  const times = `${start} +${milliseconds(table.duration[row] ?? 0)} [${milliseconds(self)}]`
  const error = table.has(row, MARK.error) ? ` ERROR${told(record?.status.message)}` : ""
  const said = [...(record?.attributes ?? [])]
    .filter(([key]) => TELLING.test(key) && !SECRET.test(key))
    .map(([key, value]) => `${key}=${oneLine(valueText(value))}`)
  const thrown = (record?.events ?? [])
    .filter(({ name }) => name === "exception")
    .map(({ attributes }) => `exception: ${oneLine(exceptionText(attributes))}`)
  const more = [...said, ...thrown].map((text) => `\n${indent}    ${text}`).join("")
  return `${indent}${oneLine(table.name(row))} (${oneLine(table.service(row))}) ${times}${error}${more}`
}

function exceptionText(attributes: SpanRecord["attributes"]): string {
  const read = (key: string) => valueText(attributes.get(`exception.${key}`) ?? null)
  return `${read("type")} ${read("message")}`.trim()
}

function told(message: string | undefined): string {
  return message === undefined || message === "" ? "" : `: ${oneLine(message)}`
}

function oneLine(text: string): string {
  return shown(text, VALUE_LIMIT).text.replace(/\s+/g, " ").trim()
}

function milliseconds(nanos: number): string {
  return `${Number((nanos / 1e6).toPrecision(3))}ms`
}
