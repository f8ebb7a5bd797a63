import type { DropCategory } from "../records/drop.ts"
import type { InstrumentationScope, Resource } from "../records/span.ts"
import { decodeMessage } from "./decode-message.ts"
import type { OtlpEncoding, Undecodable } from "./message.ts"
import { readAttributes } from "./read-value.ts"
import type { Problem, RawMessage, RecordReader } from "./record-reader.ts"

/** Field names of the levels of a signal's request. */
export interface SignalShape {
  readonly groups: string
  readonly scopeGroups: string
  readonly records: string
  readonly record: string
  readonly category: DropCategory
}

export interface RecordOrigin {
  readonly resource: Resource
  readonly scope: InstrumentationScope
}

type ReadRecord<Accepted> = (raw: RawMessage, origin: RecordOrigin) => Accepted

/**
 * Walks a request: resources, their scopes, their records. An invalid record is rejected and counted; the
 * others are accepted. A malformed resource or scope rejects the records below it, which would
 * otherwise seem to come from another origin.
 */
export function readGroups<Accepted>(
  reader: RecordReader,
  request: RawMessage,
  shape: SignalShape,
  read: ReadRecord<Accepted>,
): Accepted[] {
  const accepted: Accepted[] = []
  for (const group of reader.messages(request[shape.groups], shape.groups)) {
    const rawGroup = reader.message(group, shape.groups)
    const resource = readResource(reader, rawGroup)
    const scopeGroups = reader.messages(rawGroup[shape.scopeGroups], shape.scopeGroups)
    const problem = reader.takeProblem()
    for (const scopeGroup of scopeGroups) {
      const rawScopeGroup = reader.message(scopeGroup, shape.scopeGroups)
      const scope = readScope(reader, rawScopeGroup)
      const records = reader.messages(rawScopeGroup[shape.records], shape.records)
      // Taken in any case: it must not count for the next group.
      const ofScope = reader.takeProblem()
      const scopeProblem = problem ?? ofScope
      if (scopeProblem !== undefined) rejectAll(reader, shape, records.length, scopeProblem)
      else readRecords(reader, shape, records, (raw) => read(raw, { resource, scope }), accepted)
    }
    if (problem !== undefined && scopeGroups.length === 0) rejectAll(reader, shape, 1, problem)
  }
  return accepted
}

function readRecords<Accepted>(
  reader: RecordReader,
  { record, category }: SignalShape,
  records: readonly unknown[],
  read: (raw: RawMessage) => Accepted,
  into: Accepted[],
): void {
  for (const raw of records) {
    const accepted = read(reader.message(raw, record))
    const problem = reader.takeProblem()
    if (problem === undefined) into.push(accepted)
    else reader.tally.add(problem.reason, category, problem.text)
  }
}

/** A malformed list counts as one record, because its length is unknown. */
function rejectAll(reader: RecordReader, { category }: SignalShape, count: number, problem: Problem): void {
  reader.tally.add(problem.reason, category, problem.text, Math.max(count, 1))
}

export function readResource(reader: RecordReader, group: RawMessage): Resource {
  const raw = reader.message(group["resource"], "resource")
  return {
    attributes: readAttributes(reader, raw["attributes"], "resource attributes"),
    schemaUrl: reader.text(group["schemaUrl"], "schemaUrl"),
  }
}

export function readScope(reader: RecordReader, group: RawMessage): InstrumentationScope {
  const raw = reader.message(group["scope"], "scope")
  const schemaUrl = reader.text(group["schemaUrl"], "a scope's schemaUrl")
  return {
    name: reader.text(raw["name"], "scope.name"),
    version: reader.text(raw["version"], "scope.version"),
    attributes: readAttributes(reader, raw["attributes"], "scope attributes"),
    ...(schemaUrl !== "" && { schemaUrl }),
  }
}

/**
 * Counts the records of a request, to refuse too large ones before they are read, and for the partial success of unsupported
 * signals. Malformed lists and objects count as empty.
 */
export type RecordCount = { readonly ok: true; readonly count: number } | Undecodable

export function countSpans(request: RawMessage): number {
  return countIn(below(below([request], "resourceSpans"), "scopeSpans"), "spans")
}

export function countLogRecords(request: RawMessage): number {
  return countIn(below(below([request], "resourceLogs"), "scopeLogs"), "logRecords")
}

const METRIC_DATA = ["gauge", "sum", "histogram", "exponentialHistogram", "summary"] as const

export function countDataPoints(body: Uint8Array, encoding: OtlpEncoding): RecordCount {
  const request = decodeMessage(body, encoding, "ExportMetricsServiceRequest")
  if (!request.ok) return request
  const metrics = below(below(below([request.message], "resourceMetrics"), "scopeMetrics"), "metrics")
  const data = METRIC_DATA.flatMap((kind) => metrics.map((metric) => metric[kind]).filter(isMessage))
  return { ok: true, count: countIn(data, "dataPoints") }
}

function below(messages: readonly RawMessage[], field: string): RawMessage[] {
  return messages.flatMap((message) => {
    const value = message[field]
    return Array.isArray(value) ? value.filter(isMessage) : []
  })
}

function countIn(messages: readonly RawMessage[], field: string): number {
  return messages.reduce((sum, message) => {
    const value = message[field]
    return Array.isArray(value) ? sum + value.length : sum
  }, 0)
}

function isMessage(value: unknown): value is RawMessage {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
