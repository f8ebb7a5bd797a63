import { randomBytes } from "node:crypto"

/** The error that `pagespan doctor` sends, as a page would: an envelope for Sentry and a span for collectors, on one trace. */
export interface TestError {
  readonly traceId: string
  readonly eventId: string
  readonly envelope: string
  readonly spans: string
}

/** How the error is recognized where it arrives. */
export const TEST_MESSAGE = "Test error of pagespan doctor"
const NAME = "pagespan doctor"

/** @param environment and `release` of the app, as it gives them to its pages. */
export function createTestError(settings: { environment?: string; release?: string }): TestError {
  const [traceId = "", spanId = "", eventId = ""] = [16, 8, 16].map((bytes) => randomBytes(bytes).toString("hex"))
  const now = Date.now()
  const event = {
    event_id: eventId,
    timestamp: now / 1000,
    platform: "javascript",
    level: "error",
    ...(settings.environment === undefined ? {} : { environment: settings.environment }),
    ...(settings.release === undefined ? {} : { release: settings.release }),
    transaction: NAME,
    exception: { values: [{ type: "Error", value: TEST_MESSAGE, mechanism: { type: "generic", handled: true } }] },
    contexts: { trace: { trace_id: traceId, span_id: spanId } },
  }
  const header = { event_id: eventId, sent_at: new Date(now).toISOString() }
  const end = String(BigInt(now) * 1_000_000n)
  const span = {
    traceId,
    spanId,
    name: NAME,
    kind: 1,
    startTimeUnixNano: String(BigInt(now - 1) * 1_000_000n),
    endTimeUnixNano: end,
    status: { code: 2, message: TEST_MESSAGE },
    events: [{ timeUnixNano: end, name: "exception", attributes: [attribute("exception.message", TEST_MESSAGE)] }],
  }
  const scopeSpans = [{ scope: { name: NAME }, spans: [span] }]
  return {
    traceId,
    eventId,
    envelope: [header, { type: "event" }, event].map((part) => JSON.stringify(part)).join("\n"),
    spans: JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans }] }),
  }
}

function attribute(key: string, stringValue: string): object {
  return { key, value: { stringValue } }
}
