import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import { isSecretKey, redactAttribute } from "../../../protocol/redact.ts"
import { boundedText, delimited, DELIMITERS, stored } from "../agent-text.ts"
import { foldExtent, foldsOf } from "./folds.ts"
import { selfTimes } from "./self-time.ts"
import { valueText } from "./span-detail.ts"
import { MARK } from "./waterfall-columns.ts"
import type { TraceReader } from "../list/trace-reader.ts"
import type { TraceView } from "./trace-view.ts"
import { readWaterfall, type WaterfallTable } from "./waterfall-table.ts"

/** The text of a span of a trace; `undefined` when the trace has no such span. */
export async function readSubtreeText(
  reader: Pick<TraceReader, "readSpans">,
  { traceId, waterfall }: TraceView,
  spanId: SpanId,
): Promise<string | undefined> {
  const table = readWaterfall(waterfall)
  const row = table.indexOf(spanId)
  if (row === -1) return undefined
  const ids = subtreeRows(table, row).map((each) => table.spanId(each) as SpanId)
  return subtreeText(table, row, await reader.readSpans(traceId as TraceId, ids))
}

/** Limits that leave room in a prompt for the question itself. */
const SPAN_LIMIT = 400
const TEXT_LIMIT = 48_000
/** Attributes that explain a span, by the start of their names. The raw export has the others. */
const INCLUDED =
  /^(?:http\.|url\.(?:path|full|template)|db\.|rpc\.|messaging\.|error\.|exception\.|server\.address|code\.|browser\.web_vital\.|next\.|gen_ai\.)/

/** A line of the text: a span, or equal siblings. */
interface TextRow {
  readonly row: number
  /** The siblings that the row stands for. */
  readonly fold: readonly number[] | undefined
}

/** Rows of the subtree in order. Equal siblings are one; below it are the spans of the first. */
function textRows(table: WaterfallTable, top: number): TextRow[] {
  const end = top + (table.descendantCount[top] ?? 0)
  const isWithin = (row: number) => row >= top && row <= end
  const folds = [...foldsOf(table).members].filter(([first]) => isWithin(table.parent[first] ?? -1))
  const byFirst = new Map(folds)
  const hidden = new Set(folds.flatMap(([first, members]) => members.filter((row) => row !== first)))
  const rows: TextRow[] = []
  for (let row = top; row <= end && rows.length < SPAN_LIMIT; row++) {
    if (hidden.has(row)) row += table.descendantCount[row] ?? 0
    else rows.push({ row, fold: byFirst.get(row) })
  }
  return rows
}

/** Spans that the lines show or count. */
function spansOf(table: WaterfallTable, rows: readonly TextRow[]): number {
  const inFold = (fold: readonly number[]) =>
    fold.slice(1).reduce((sum, row) => sum + (table.descendantCount[row] ?? 0) + 1, 1)
  return rows.reduce((sum, { fold }) => sum + (fold === undefined ? 1 : inFold(fold)), 0)
}

/** Rows of which `subtreeText` needs the records: of equal siblings the first and the last. */
export function subtreeRows(table: WaterfallTable, row: number): number[] {
  return textRows(table, row).flatMap((each) =>
    each.fold === undefined ? [each.row] : [each.row, each.fold.at(-1) ?? each.row],
  )
}

/**
 * A subtree as compact text for a prompt: one indented line for each span, with its start, duration, self time and error,
 * and the attributes that explain it. Equal siblings share a line. Omits attributes with a secret name. The last line says what
 * was cut.
 *
 * @param records of the rows that `subtreeRows` returns.
 */
export function subtreeText(table: WaterfallTable, row: number, records: readonly SpanRecord[]): string {
  const byId = new Map(records.map((record) => [record.spanId as string, record]))
  const rows = textRows(table, row)
  const writer: Writer = { table, top: row, self: selfTimes(table), recordOf: (each) => byId.get(table.spanId(each)) }
  const lines = [
    `Spans of one trace, each below its parent: name (service) start +duration [self time]. ${DELIMITERS}`,
    ...(rows.some(({ fold }) => fold !== undefined) ? [FOLDED] : []),
    ...rows.flatMap((each) => spanLines(writer, each)),
  ]
  const omitted = (table.descendantCount[row] ?? 0) + 1 - spansOf(table, rows)
  if (omitted > 0) lines.push(`(${omitted} more spans omitted)`)
  return boundedText(lines, TEXT_LIMIT)
}

/** What a line of equal siblings means. */
const FOLDED =
  "N × is N equal siblings in one line: from start to end, the sum, the shortest to the longest. An attribute in which the first and the last differ has both values. Below are the spans of the first."

interface Writer {
  readonly table: WaterfallTable
  readonly top: number
  readonly self: Float64Array
  recordOf(row: number): SpanRecord | undefined
}

function spanLines(writer: Writer, { row, fold }: TextRow): string[] {
  const { table, top, recordOf } = writer
  const record = recordOf(row)
  const indent = "  ".repeat((table.depth[row] ?? 0) - (table.depth[top] ?? 0))
  const error = table.has(row, MARK.error) ? ` ERROR${suffix(record?.status.message)}` : ""
  const last = fold === undefined ? new Map<string, string>() : attributesOf(recordOf(fold.at(-1) ?? row))
  const attributes = [...attributesOf(record)].map(([key, value]) => {
    const other = last.get(key)
    return `${delimited(key)}=${delimited(value)}${other === undefined || other === value ? "" : ` … ${delimited(other)}`}`
  })
  const exceptions = (record?.events ?? [])
    .filter(({ name }) => name === "exception")
    .map((event) => `exception: ${delimited(stored(exceptionText(event.attributes)))}`)
  const name = `${delimited(stored(table.name(row)))} (${delimited(stored(table.service(row)))})`
  const head =
    fold === undefined ? `${name} ${timesOf(writer, row)}` : `${fold.length} × ${name} ${foldTimes(writer, fold)}`
  return [`${indent}${head}${error}`, ...[...attributes, ...exceptions].map((text) => `${indent}    ${text}`)]
}

function timesOf({ table, top, self }: Writer, row: number): string {
  const start = milliseconds((table.offset[row] ?? 0) - (table.offset[top] ?? 0))
  return `${start} +${milliseconds(table.duration[row] ?? 0)} [${milliseconds(self[row] ?? 0)}]`
}

function foldTimes({ table, top }: Writer, fold: readonly number[]): string {
  const start = table.offset[top] ?? 0
  const { end, total } = foldExtent(table, fold)
  const durations = fold.map((row) => table.duration[row] ?? 0).sort((a, b) => a - b)
  const [from, shortest, longest] = [
    (table.offset[fold[0] ?? 0] ?? 0) - start,
    durations[0] ?? 0,
    durations.at(-1) ?? 0,
  ]
  return `${milliseconds(from)} to ${milliseconds(end - start)}, ${milliseconds(total)} in all, each ${milliseconds(shortest)} to ${milliseconds(longest)}`
}

/** The attributes that explain a span, redacted. */
function attributesOf(record: SpanRecord | undefined): Map<string, string> {
  return new Map(
    [...(record?.attributes ?? [])]
      .filter(([key]) => INCLUDED.test(key) && !isSecretKey(key))
      .map(([key, value]) => [stored(key), stored(redactAttribute(key, valueText(value)))]),
  )
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
