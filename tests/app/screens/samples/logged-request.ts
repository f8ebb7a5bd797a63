import { waitFor } from "#tests/support/wait-for.ts"

/** A request of two services with log lines over OTLP and Sentry's protocol, and an error in it. */

export const REQUEST = "4bf92f3577b34da6a3ce929d0e0e4701"
export const SPANS = { request: "00f067aa0ba90201", payment: "00f067aa0ba90202" } as const
/** A colour code of a terminal, around a word. */
const RED = "\u001b[31mdeclined\u001b[0m"
/** Lines of the request before its error, besides those below. */
const RETRIES = 12

/**
 * Sends the records, and waits until the store has them.
 *
 * @param startMs start of the request, in milliseconds since the epoch.
 */
export async function sendLoggedRequest(url: string, startMs: number): Promise<void> {
  const at = (ms: number) => String(BigInt(startMs + ms) * 1_000_000n)
  const json = { "content-type": "application/json" }
  await post(`${url}/v1/traces`, json, {
    resourceSpans: [
      spanOf("web", SPANS.request, undefined, "POST /checkout", at(0), at(9_000), 2),
      spanOf("payments", SPANS.payment, SPANS.request, "charge", at(7_000), at(8_400), 3),
    ],
  })
  const line = (ms: number, spanId: string, severity: number, body: object, attributes: object[] = []) => ({
    timeUnixNano: at(ms),
    severityNumber: severity,
    severityText: "",
    body,
    traceId: REQUEST,
    spanId,
    attributes,
  })
  const text = (stringValue: string) => ({ stringValue })
  const structured = { kvlistValue: { values: [{ key: "amount", value: text("12 EUR") }] } }
  await post(`${url}/v1/logs`, json, {
    resourceLogs: [
      logsOf("web", [
        line(10, SPANS.request, 9, text("request received")),
        ...Array.from({ length: RETRIES }, (_, index) => line(3_500 + index, SPANS.request, 5, text(`step ${index}`))),
        line(8_450, SPANS.request, 17, text(`card was ${RED}`), [{ key: "card.type", value: text("visa") }]),
        line(8_900, SPANS.request, 9, text("answered 402")),
      ]),
      logsOf("payments", [
        line(7_100, SPANS.payment, 9, structured),
        line(8_300, SPANS.payment, 13, text("bank is slow")),
      ]),
      logsOf("worker", [
        { timeUnixNano: at(100), severityNumber: 9, severityText: "INFO", body: text("job without a trace") },
      ]),
    ],
  })
  const seconds = (ms: number) => (startMs + ms) / 1_000
  const trace = { trace_id: REQUEST, span_id: SPANS.request }
  const event = {
    event_id: "7".repeat(32),
    timestamp: seconds(8_500),
    level: "error",
    exception: { values: [{ type: "PaymentError", value: "card declined" }] },
    contexts: { trace },
  }
  const log = {
    timestamp: seconds(8_480),
    level: "warn",
    body: "sentry: retry is not allowed",
    trace_id: REQUEST,
    attributes: { "sentry.trace.parent_span_id": { value: SPANS.request, type: "string" } },
  }
  const lines = [
    { event_id: event.event_id, sdk: { name: "sentry.javascript.node", version: "11.0.0" } },
    { type: "event" },
    event,
    { type: "log", item_count: 1, content_type: "application/vnd.sentry.items.log+json" },
    { items: [log] },
  ]
  const envelope = { "content-type": "application/x-sentry-envelope" }
  await post(`${url}/api/1/envelope/?sentry_key=${"a".repeat(32)}`, envelope, lines)
  await waitFor("the logs", async () => {
    const { logs } = (await (await fetch(`${url}/api/traces/${REQUEST}/logs`)).json()) as { logs: unknown[] }
    const { issues } = (await (await fetch(`${url}/api/errors?q=PaymentError`)).json()) as { issues: unknown[] }
    const stored = await fetch(`${url}/api/traces/${REQUEST}`)
    return logs.length === RETRIES + 6 && issues.length === 1 && stored.ok
  })
}

async function post(address: string, headers: Record<string, string>, body: object): Promise<void> {
  const text = Array.isArray(body) ? body.map((line) => JSON.stringify(line)).join("\n") : JSON.stringify(body)
  const response = await fetch(address, { method: "POST", headers, body: text })
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
}

function resourceOf(service: string) {
  return { attributes: [{ key: "service.name", value: { stringValue: service } }] }
}

function logsOf(service: string, logRecords: readonly object[]) {
  return { resource: resourceOf(service), scopeLogs: [{ logRecords }] }
}

function spanOf(
  service: string,
  spanId: string,
  parentSpanId: string | undefined,
  name: string,
  startTimeUnixNano: string,
  endTimeUnixNano: string,
  kind: number,
) {
  const span = { traceId: REQUEST, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano }
  return { resource: resourceOf(service), scopeSpans: [{ spans: [span] }] }
}
