/** `TracesData` as OTLP/JSON has it: ids hexadecimal, 64-bit integers text, bytes base64, absent fields left out. */

export interface TracesJson {
  resourceSpans: ResourceSpansJson[]
}

export interface ResourceSpansJson {
  resource: { attributes: KeyValueJson[] }
  scopeSpans: ScopeSpansJson[]
  schemaUrl?: string
}

export interface ScopeSpansJson {
  scope: { name: string; version?: string; attributes?: KeyValueJson[] }
  spans: SpanJson[]
}

export interface SpanJson {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  flags?: number
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: KeyValueJson[]
  droppedAttributesCount?: number
  events?: SpanEventJson[]
  droppedEventsCount?: number
  links?: SpanLinkJson[]
  droppedLinksCount?: number
  status: { code?: number; message?: string }
}

export interface SpanEventJson {
  timeUnixNano: string
  name: string
  attributes?: KeyValueJson[]
}

export interface SpanLinkJson {
  traceId: string
  spanId: string
  traceState?: string
  attributes?: KeyValueJson[]
}

export interface KeyValueJson {
  key: string
  value: AnyValueJson
}

export interface AnyValueJson {
  stringValue?: string
  boolValue?: boolean
  intValue?: string
  doubleValue?: number | "NaN" | "Infinity" | "-Infinity"
  arrayValue?: { values: AnyValueJson[] }
  kvlistValue?: { values: KeyValueJson[] }
  bytesValue?: string
}
