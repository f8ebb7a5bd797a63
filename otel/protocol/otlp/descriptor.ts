/**
 * The messages of opentelemetry-proto that the handlers read and write, maintained by hand as protobufjs' JSON descriptor. Field
 * numbers are the protocol's (v1.9). Reserved fields, and fields that are not stored, are left out, so that they are skipped as
 * unknown. Metrics are only counted, so their data points stay undecoded bytes.
 *
 * @see https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto
 */

type Field = readonly [id: number, type: string, rule?: "repeated"]

function message(fields: Readonly<Record<string, Field>>, oneof?: readonly string[]) {
  const entries = Object.entries(fields).map(([name, [id, type, rule]]) => [
    name,
    rule === undefined ? { id, type } : { id, type, rule },
  ])
  return {
    fields: Object.fromEntries(entries) as Record<string, { id: number; type: string; rule?: string }>,
    ...(oneof === undefined ? {} : { oneofs: { value: { oneof: [...oneof] } } }),
  }
}

const COMMON = {
  AnyValue: message(
    {
      stringValue: [1, "string"],
      boolValue: [2, "bool"],
      intValue: [3, "int64"],
      doubleValue: [4, "double"],
      arrayValue: [5, "ArrayValue"],
      kvlistValue: [6, "KeyValueList"],
      bytesValue: [7, "bytes"],
    },
    ["stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue"],
  ),
  ArrayValue: message({ values: [1, "AnyValue", "repeated"] }),
  KeyValueList: message({ values: [1, "KeyValue", "repeated"] }),
  KeyValue: message({ key: [1, "string"], value: [2, "AnyValue"] }),
  InstrumentationScope: message({
    name: [1, "string"],
    version: [2, "string"],
    attributes: [3, "KeyValue", "repeated"],
    droppedAttributesCount: [4, "uint32"],
  }),
  Resource: message({ attributes: [1, "KeyValue", "repeated"], droppedAttributesCount: [2, "uint32"] }),
}

const TRACE = {
  ExportTraceServiceRequest: message({ resourceSpans: [1, "ResourceSpans", "repeated"] }),
  ResourceSpans: message({
    resource: [1, "Resource"],
    scopeSpans: [2, "ScopeSpans", "repeated"],
    schemaUrl: [3, "string"],
  }),
  ScopeSpans: message({
    scope: [1, "InstrumentationScope"],
    spans: [2, "Span", "repeated"],
    schemaUrl: [3, "string"],
  }),
  Span: message({
    traceId: [1, "bytes"],
    spanId: [2, "bytes"],
    traceState: [3, "string"],
    parentSpanId: [4, "bytes"],
    name: [5, "string"],
    kind: [6, "int32"],
    startTimeUnixNano: [7, "fixed64"],
    endTimeUnixNano: [8, "fixed64"],
    attributes: [9, "KeyValue", "repeated"],
    droppedAttributesCount: [10, "uint32"],
    events: [11, "SpanEvent", "repeated"],
    droppedEventsCount: [12, "uint32"],
    links: [13, "SpanLink", "repeated"],
    droppedLinksCount: [14, "uint32"],
    status: [15, "SpanStatus"],
    flags: [16, "fixed32"],
  }),
  SpanEvent: message({
    timeUnixNano: [1, "fixed64"],
    name: [2, "string"],
    attributes: [3, "KeyValue", "repeated"],
    droppedAttributesCount: [4, "uint32"],
  }),
  SpanLink: message({
    traceId: [1, "bytes"],
    spanId: [2, "bytes"],
    traceState: [3, "string"],
    attributes: [4, "KeyValue", "repeated"],
    droppedAttributesCount: [5, "uint32"],
    flags: [6, "fixed32"],
  }),
  SpanStatus: message({ message: [2, "string"], code: [3, "int32"] }),
}

const LOGS = {
  ExportLogsServiceRequest: message({ resourceLogs: [1, "ResourceLogs", "repeated"] }),
  ResourceLogs: message({
    resource: [1, "Resource"],
    scopeLogs: [2, "ScopeLogs", "repeated"],
    schemaUrl: [3, "string"],
  }),
  ScopeLogs: message({
    scope: [1, "InstrumentationScope"],
    logRecords: [2, "LogRecord", "repeated"],
    schemaUrl: [3, "string"],
  }),
  LogRecord: message({
    timeUnixNano: [1, "fixed64"],
    severityNumber: [2, "int32"],
    severityText: [3, "string"],
    body: [5, "AnyValue"],
    attributes: [6, "KeyValue", "repeated"],
    droppedAttributesCount: [7, "uint32"],
    flags: [8, "fixed32"],
    traceId: [9, "bytes"],
    spanId: [10, "bytes"],
    observedTimeUnixNano: [11, "fixed64"],
    eventName: [12, "string"],
  }),
}

const METRICS = {
  ExportMetricsServiceRequest: message({ resourceMetrics: [1, "ResourceMetrics", "repeated"] }),
  ResourceMetrics: message({ scopeMetrics: [2, "ScopeMetrics", "repeated"] }),
  ScopeMetrics: message({ metrics: [2, "Metric", "repeated"] }),
  Metric: message({
    gauge: [5, "DataPoints"],
    sum: [7, "DataPoints"],
    histogram: [9, "DataPoints"],
    exponentialHistogram: [10, "DataPoints"],
    summary: [11, "DataPoints"],
  }),
  /** All five kinds of metric data have their data points in field 1, the only field that is read. */
  DataPoints: message({ dataPoints: [1, "bytes", "repeated"] }),
}

const ANSWERS = {
  ExportTraceServiceResponse: message({ partialSuccess: [1, "TracePartialSuccess"] }),
  TracePartialSuccess: message({ rejectedSpans: [1, "int64"], errorMessage: [2, "string"] }),
  ExportLogsServiceResponse: message({ partialSuccess: [1, "LogsPartialSuccess"] }),
  LogsPartialSuccess: message({ rejectedLogRecords: [1, "int64"], errorMessage: [2, "string"] }),
  ExportMetricsServiceResponse: message({ partialSuccess: [1, "MetricsPartialSuccess"] }),
  MetricsPartialSuccess: message({ rejectedDataPoints: [1, "int64"], errorMessage: [2, "string"] }),
  /** `google.rpc.Status`. Only gRPC uses its details: `google.protobuf.Any` with a `google.rpc.RetryInfo`. */
  Status: message({ code: [1, "int32"], message: [2, "string"], details: [3, "Any", "repeated"] }),
  Any: message({ typeUrl: [1, "string"], value: [2, "bytes"] }),
  RetryInfo: message({ retryDelay: [1, "Duration"] }),
  Duration: message({ seconds: [1, "int64"], nanos: [2, "int32"] }),
}

export const OTLP_DESCRIPTOR = { nested: { ...COMMON, ...TRACE, ...LOGS, ...METRICS, ...ANSWERS } }
