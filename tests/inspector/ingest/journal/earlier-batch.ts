import type { RecordBatch } from "#otel/protocol/records/batch.ts"
import { spanRecords } from "#tests/inspector/ingest/span-records.ts"

const [first, second] = spanRecords(2)

/** The records in the journal files of this folder. The reason of the item's cut had another name then. */
export function earlierBatch(unsupported: string): RecordBatch {
  const batch = {
    spans: [first, second],
    errors: [
      {
        eventId: "e".repeat(32),
        issueId: "f".repeat(32),
        time: 1_790_000_000_000_000_000n,
        traceId: first?.traceId,
        spanId: undefined,
        level: "error",
        type: "TypeError",
        value: "x is not a function",
        exceptions: [
          {
            type: "TypeError",
            value: "x is not a function",
            mechanism: { type: "onerror", handled: false },
            frames: [
              {
                function: "load",
                module: "",
                file: "/app/page.js",
                line: 3,
                column: undefined,
                inApp: true,
                before: ["a"],
                context: "b",
                after: [],
              },
            ],
            stackText: "",
          },
        ],
        transaction: "/cart",
        service: "shop",
        environment: "production",
        release: "1.0.0",
        tags: new Map([["tag", "value"]]),
        breadcrumbs: "",
        request: "",
        context: "",
        fingerprint: ["TypeError", "/app/page.js load"],
        source: "sentry",
      },
    ],
    logs: [
      {
        logId: "1".repeat(32),
        time: 1_790_000_000_000_000_001n,
        traceId: undefined,
        spanId: undefined,
        severityNumber: 9,
        severityText: "INFO",
        eventName: "",
        body: new Map([["key", [1n, null, -0]]]),
        attributes: new Map(),
        resource: first?.resource,
        scope: first?.scope,
        source: "otlp",
      },
    ],
    items: [
      {
        itemId: "2".repeat(32),
        type: "attachment",
        time: 1_790_000_000_000_000_002n,
        eventId: "e".repeat(32),
        aboutEventId: undefined,
        traceId: first?.traceId,
        spanId: undefined,
        service: "shop",
        environment: "",
        release: "",
        sdk: "sentry.javascript.browser 11.0.0",
        facts: [["items", "1"]],
        contentType: "text/plain",
        fileName: "a.txt",
        attachmentType: "",
        byteLength: 9,
        payload: new Uint8Array([1, 2, 3]),
        cuts: [{ reason: unsupported, count: 2, sample: "left out" }],
      },
    ],
  }
  return batch as unknown as RecordBatch
}
