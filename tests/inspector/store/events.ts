import type { ErrorEvent } from "#otel/protocol/records/error.ts"
import type { LogRecord } from "#otel/protocol/records/log.ts"
import { ago, service, spanId, traceId } from "./spans.ts"

/** Errors and logs to insert into a store. */

export function hex(number: number): string {
  return number.toString(16).padStart(32, "0")
}

/** An error five minutes ago, in the trace and span with the number of the issue. */
export function error(issue: number, event: number, over: Partial<ErrorEvent> = {}): ErrorEvent {
  return {
    eventId: hex(event),
    issueId: hex(issue),
    time: ago(300_000),
    traceId: traceId(issue),
    spanId: spanId(issue),
    level: "error",
    type: "TypeError",
    value: "boom",
    exceptions: [],
    transaction: "/cart",
    service: "shop",
    environment: "",
    release: "",
    tags: new Map(),
    breadcrumbs: "",
    request: "",
    context: "",
    fingerprint: [],
    source: "sentry",
    ...over,
  }
}

export function log(number: number, over: Partial<LogRecord> = {}): LogRecord {
  return {
    logId: hex(number),
    time: ago(1_000),
    traceId: traceId(0x300),
    spanId: spanId(0x300),
    severityNumber: 9,
    severityText: "INFO",
    eventName: "",
    body: "hello",
    attributes: new Map<string, never>([
      ["n", 1n as never],
      ["bytes", new Uint8Array([0, 255]) as never],
    ]),
    resource: service("shop"),
    scope: { name: "test", version: "1", attributes: new Map([["yes", true]]) },
    source: "otlp",
    ...over,
  }
}
