import { nanoseconds } from "#otel/protocol/records/time.ts"
import { type DecodedEnvelope, decodeEnvelope, type EnvelopeTimes } from "#otel/protocol/sentry/decode-envelope.ts"

/** Envelopes and their items, as Sentry's SDKs send them. */

export const TRACE_ID = "5b8efff798038103d269b633813fc60c"
export const ROOT_ID = "eee19b7ec3c1b174"
export const CHILD_ID = "eee19b7ec3c1b175"
export const EVENT_ID = "9ec79c33ec9942ab8353589fcb2e04dc"
export const RECEIVED = nanoseconds(1_795_197_500_000_000_000n)
export const TIMES: EnvelopeTimes = { receivedAt: RECEIVED, latest: nanoseconds(RECEIVED + 86_400_000_000_000n) }

// oxlint-disable-next-line typescript/no-explicit-any -- envelopes are also written wrongly on purpose
export type Json = any

export function item(type: string, payload: Json, header: Json = {}): [Json, Json] {
  return [{ type, ...header }, payload]
}

export function envelope(header: Json, ...items: readonly [Json, Json][]): Uint8Array {
  const lines = [header, ...items.flat()].map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
  return Buffer.from(`${lines.join("\n")}\n`)
}

export function decode(...items: readonly [Json, Json][]): DecodedEnvelope {
  return decodeBytes(
    envelope({ event_id: EVENT_ID, sdk: { name: "sentry.javascript.node", version: "11.0.0" } }, ...items),
  )
}

export function decodeBytes(bytes: Uint8Array): DecodedEnvelope {
  const decoded = decodeEnvelope(bytes, TIMES)
  if (!decoded.ok) throw new Error(decoded.problem)
  return decoded
}

export function transaction(changes: Json = {}): Json {
  return {
    type: "transaction",
    event_id: EVENT_ID,
    transaction: "/traces/[traceId]",
    transaction_info: { source: "route" },
    start_timestamp: 1_795_197_401.3332,
    timestamp: 1_795_197_401.3391557,
    platform: "node",
    server_name: "web-1",
    environment: "dev",
    release: "1.2",
    contexts: {
      trace: { trace_id: TRACE_ID, span_id: ROOT_ID, op: "http.server", status: "ok", data: { n: 1, f: 0.5 } },
    },
    spans: [
      {
        trace_id: TRACE_ID,
        span_id: CHILD_ID,
        parent_span_id: ROOT_ID,
        op: "db.query",
        description: "SELECT 1",
        status: "internal_error",
        start_timestamp: "2026-11-20T17:56:41.333689200Z",
        timestamp: "2026-11-20T17:56:41.3339016Z",
        data: { "db.system.name": "sqlite" },
      },
    ],
    ...changes,
  }
}

export function errorEvent(changes: Json = {}): Json {
  return {
    event_id: EVENT_ID,
    timestamp: 1_795_197_401.5,
    level: "error",
    platform: "node",
    transaction: "/cart",
    server_name: "web-1",
    environment: "dev",
    release: "1.2",
    contexts: { trace: { trace_id: TRACE_ID, span_id: ROOT_ID } },
    exception: {
      values: [
        { type: "Error", value: "inner" },
        {
          type: "TypeError",
          value: "boom",
          mechanism: { type: "generic", handled: false },
          stacktrace: {
            frames: [
              { function: "run", filename: "node:internal", lineno: 1, colno: 2, in_app: false },
              { function: "pay", filename: "/app/pay.ts", lineno: 7, colno: 9, in_app: true, context_line: "throw" },
            ],
          },
        },
      ],
    },
    ...changes,
  }
}
