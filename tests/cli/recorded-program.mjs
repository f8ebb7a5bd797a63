import "./reporting-program.mjs"

// Beside its spans: a log over OTLP, an error and a client report of a Sentry SDK. It fails.
const endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT
const post = (url, body) => fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } })
const logRecords = [{ timeUnixNano: `${Date.now()}000000`, severityNumber: 13, body: { stringValue: "recorded-line" } }]
await post(`${endpoint}/v1/logs`, JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))
const event = {
  event_id: "ab".repeat(16),
  timestamp: Date.now() / 1000,
  exception: { values: [{ type: "RangeError", value: "out of stock" }] },
}
const report = { discarded_events: [{ reason: "before_send", category: "span", quantity: 3 }] }
const items = [
  ['{"type":"event"}', event],
  ['{"type":"client_report"}', report],
]
const envelope = ["{}", ...items.flatMap(([header, payload]) => [header, JSON.stringify(payload)])].join("\n")
await post(process.env.SENTRY_SPOTLIGHT, envelope)
process.exitCode = 3
