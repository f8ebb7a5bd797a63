import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { LogRecord } from "../../../protocol/records/log.ts"
import { serviceName, type SpanSource } from "../../../protocol/records/span.ts"
import {
  type AttributeTypes,
  type ExactAttributes,
  restoreAttributes,
  storeAttributes,
  type StoredAttributes,
} from "./stored-attributes.ts"
import { fromNanosText, toTimestampText } from "./stored-values.ts"

/** The body can be of any type, so its type is stored like that of an attribute with this name. */
const BODY = "body"

interface Bags<Bag> {
  readonly a?: Bag
  readonly r?: Bag
  readonly c?: Bag
  readonly b?: Bag
}

/** The row of `pagespan_logs`. */
export function toLogRow(log: LogRecord): object {
  const bags = {
    a: storeAttributes(log.attributes),
    r: storeAttributes(log.resource.attributes),
    c: storeAttributes(log.scope.attributes),
    b: storeAttributes(new Map([[BODY, log.body]])),
  }
  return {
    Timestamp: toTimestampText(log.time),
    LogId: log.logId,
    TraceId: log.traceId ?? "",
    SpanId: log.spanId ?? "",
    SeverityNumber: log.severityNumber,
    SeverityText: log.severityText,
    EventName: log.eventName,
    ServiceName: serviceName(log.resource),
    Body: bags.b.text[BODY] ?? "",
    ResourceAttributes: bags.r.text,
    ResourceSchemaUrl: log.resource.schemaUrl,
    ScopeName: log.scope.name,
    ScopeVersion: log.scope.version,
    ScopeAttributes: bags.c.text,
    LogAttributes: bags.a.text,
    AttributeTypes: partsText(bags, ({ types }) => types),
    ExactAttributes: partsText(bags, ({ exact }) => exact),
    Source: log.source,
  }
}

function partsText<Part>(bags: Required<Bags<StoredAttributes>>, partOf: (bag: StoredAttributes) => Part | undefined) {
  const text = JSON.stringify({ a: partOf(bags.a), r: partOf(bags.r), c: partOf(bags.c), b: partOf(bags.b) })
  return text === "{}" ? "" : text
}

/** A row of `pagespan_logs` as the columns below select it. A map is two arrays: a JSON object would lose its order. */
export interface LogRow {
  readonly time: string
  readonly logId: string
  readonly traceId: string
  readonly spanId: string
  readonly severityNumber: number
  readonly severityText: string
  readonly eventName: string
  readonly body: string
  readonly schemaUrl: string
  readonly scopeName: string
  readonly scopeVersion: string
  readonly keys: readonly string[]
  readonly values: readonly string[]
  readonly resourceKeys: readonly string[]
  readonly resourceValues: readonly string[]
  readonly scopeKeys: readonly string[]
  readonly scopeValues: readonly string[]
  readonly types: string
  readonly exacts: string
  readonly source: string
}

export const LOG_ROW_COLUMNS = `
  toString(toUnixTimestamp64Nano(Timestamp)) AS time, LogId AS logId, TraceId AS traceId, SpanId AS spanId,
  SeverityNumber AS severityNumber, SeverityText AS severityText, EventName AS eventName, Body AS body,
  ResourceSchemaUrl AS schemaUrl, ScopeName AS scopeName, ScopeVersion AS scopeVersion,
  mapKeys(LogAttributes) AS keys, mapValues(LogAttributes) AS values,
  mapKeys(ResourceAttributes) AS resourceKeys, mapValues(ResourceAttributes) AS resourceValues,
  mapKeys(ScopeAttributes) AS scopeKeys, mapValues(ScopeAttributes) AS scopeValues,
  AttributeTypes AS types, ExactAttributes AS exacts, Source AS source`

export function toLogRecord(row: LogRow): LogRecord {
  const types = parse<AttributeTypes>(row.types)
  const exacts = parse<ExactAttributes>(row.exacts)
  const body = restoreAttributes([BODY], [row.body], types.b, exacts.b)
  return {
    logId: row.logId,
    time: fromNanosText(row.time),
    traceId: row.traceId === "" ? undefined : (row.traceId as TraceId),
    spanId: row.spanId === "" ? undefined : (row.spanId as SpanId),
    severityNumber: row.severityNumber,
    severityText: row.severityText,
    eventName: row.eventName,
    body: body.get(BODY) ?? null,
    attributes: restoreAttributes(row.keys, row.values, types.a, exacts.a),
    resource: {
      attributes: restoreAttributes(row.resourceKeys, row.resourceValues, types.r, exacts.r),
      schemaUrl: row.schemaUrl,
    },
    scope: {
      name: row.scopeName,
      version: row.scopeVersion,
      attributes: restoreAttributes(row.scopeKeys, row.scopeValues, types.c, exacts.c),
    },
    source: row.source as SpanSource,
  }
}

function parse<Bag>(text: string): Bags<Bag> {
  return text === "" ? {} : (JSON.parse(text) as Bags<Bag>)
}
