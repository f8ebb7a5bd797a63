import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { ago, plus, service, span, spanId } from "../store/spans.ts"

/**
 * Traces, each with a letter, and filters with the letters of the traces that match. Tests run this table on records in memory
 * and on the same records in a real store.
 */

const start = ago(60_000)
const at = (nanos: bigint, length: bigint) => ({ startTime: plus(start, nanos), endTime: plus(start, nanos + length) })
const attributes = (bag: Record<string, AttributeValue>) => ({ attributes: new Map(Object.entries(bag)) })
const MS = 1_000_000n

/** A page load of the shop: browser, server, database; one request failed. The parent of the database's span is missing. */
const a: SpanRecord[] = [
  span(1, 11, {
    ...at(0n, 800n * MS),
    name: "/traces/[traceId]",
    kind: "client",
    resource: resource("web", { "service.version": "2.14.1", "deployment.environment.name": "staging" }),
    ...attributes({ "http.route": "/traces/[traceId]", "cache.hit": true, "page.weight": 1.5 }),
  }),
  span(1, 12, {
    ...at(100n * MS, 300n * MS),
    parentSpanId: spanId(11),
    name: "GET /api/traces/{id}",
    status: { code: "error", message: "Upstream TIMED out" },
    resource: resource("api", { "pagespan.run": "before" }),
    ...attributes({
      "http.route": "/api/traces/{id}",
      "http.response.status_code": 503n,
      "http.request.method": "GET",
    }),
    events: [exception("TypeError", "x is not a function")],
  }),
  span(1, 13, {
    ...at(120n * MS, 20n * MS),
    parentSpanId: spanId(14),
    name: "SELECT orders",
    kind: "client",
    resource: service("db"),
    ...attributes({ "db.statement": "SELECT * FROM orders WHERE note = '100%_sure'", "empty value": "" }),
  }),
]

/** The same page from an older SDK, sent over both protocols, without errors. */
const b: SpanRecord[] = (["otlp", "sentry"] as const).flatMap((source) => [
  span(2, 21, {
    ...at(MS, 90n * MS),
    name: "/cart",
    source,
    resource: resource("web", { "deployment.environment": "production" }),
    ...attributes({ "http.route": "/cart", "http.status_code": 200n, "http.method": "GET" }),
  }),
  span(2, 22, {
    ...at(10n * MS, 40n * MS),
    parentSpanId: spanId(21),
    name: "prefetch /traces",
    source,
    resource: resource("web", {}),
    ...attributes({ "http.status_code": 204n, list: ["a", "b"], "big.number": 9_007_199_254_740_993n }),
  }),
])

/** A job whose root has not arrived, sent over Sentry's protocol only. */
const c: SpanRecord[] = [
  span(3, 31, {
    ...at(2n * MS, 5n),
    parentSpanId: spanId(30),
    name: "ÜBERMITTLUNG Σ",
    kind: "consumer",
    source: "sentry",
    status: { code: "ok", message: "" },
    resource: service("Worker-1"),
    ...attributes({ "http.status_code": "5xx", "messaging.destination": "orders*new", 'weird "key"': "\\ back" }),
  }),
]

export const TRACES: Readonly<Record<string, readonly SpanRecord[]>> = { a, b, c }

/** `[filter, letters of the matching traces]`. */
export const CASES: readonly (readonly [string, string])[] = [
  ["", "abc"],
  // Fields of a row in the list.
  ["name:/cart", "b"],
  ["name:prefetch", ""],
  ["-name:prefetch", "abc"],
  ["name:übermittlung", "c"],
  ["name=/traces/[traceId]", "a"],
  ["name=/traces", ""],
  ["name:/traces/*", "a"],
  ["name:/T*", ""],
  ["name:(/traces/* OR /x*)", "a"],
  ["name:/ca* OR name:ÜBER*", "bc"],
  ["name:/ca* OR errors>9", "b"],
  ["duration>500ms", "a"],
  ["duration:>0.5s", "a"],
  ["duration>800ms", ""],
  ["duration>=800ms", "a"],
  ["duration<90ms", "c"],
  ["duration<=90ms", "bc"],
  ["duration:5ns..90ms", "bc"],
  ["duration:5ns", "c"],
  ["duration>9999999999h", ""],
  ["spans>2", "a"],
  ["spans:2", "b"],
  ["spans:1..2", "bc"],
  ["spans!=2", "ac"],
  ["errors>0", "a"],
  ["errors>=2", ""],
  ["status:error", "a"],
  ["status:ok", "bc"],
  ["-status:error", "bc"],
  ["missing:root", "c"],
  ["missing:parent", "ac"],
  ["-missing:parent", "b"],
  ["missing!=root", "ab"],
  ["missing:parent -missing:root", "a"],
  ["missing:(root OR parent) service:web", "a"],
  ["source:otlp", "ab"],
  ["source:sentry", "bc"],
  ["source:both", "b"],
  ["source:sentry -source:otlp", "c"],
  // Fields of any span.
  ["route:/traces/[traceId]", "a"],
  ["route:/api/traces/{id}", "a"],
  ["route:/c*t", "b"],
  ["route:/C*t", ""],
  ["service:web", "ab"],
  ["service:WEB", ""],
  ["-service:db", "bc"],
  ["service:(db OR Worker-1)", "ac"],
  ["service!=(db OR Worker-1)", "b"],
  ["kind:consumer", "c"],
  ["kind:client", "a"],
  ["message:timed", "a"],
  ['message="Upstream TIMED out"', "a"],
  ["message=Upstream", ""],
  ["trace:00000000000000000000000000000002", "b"],
  ["trace:*3", "c"],
  ["span:000000000000000C", "a"],
  ["span.name:select", "a"],
  ["span.name:prefetch", "b"],
  ["span.duration<30ms", "ac"],
  ["span.status:ok", "c"],
  ["span.status:unset", "ab"],
  ["span.source:sentry", "bc"],
  ["root.http.route:/cart", "b"],
  ["root.service:api", ""],
  ["root.kind:consumer", ""],
  ["root.duration>=800ms", "a"],
  // Attributes, by their old and new names.
  ["http.status_code:5xx", "ac"],
  ["http.response.status_code:5xx", "ac"],
  ['http.status_code:"5xx"', "c"],
  ["http.status_code:503", "a"],
  ["http.response.status_code:200", "b"],
  ["http.status_code:2xx", "b"],
  ["http.status_code:20x", "b"],
  ["http.status_code:200..204", "b"],
  ["http.status_code>=500", "a"],
  ["http.status_code<200", ""],
  ["-http.status_code:200", "ac"],
  ["http.method:GET", "ab"],
  ["db.query.text:*orders*", "a"],
  ["db.statement:*100%_sure*", "a"],
  ["db.statement:*100%sure*", ""],
  ["deployment.environment:staging", "a"],
  ["env:(staging production)", "ab"],
  ["release:2.14.1", "a"],
  ["cache.hit:true", "a"],
  ["page.weight>1.4", "a"],
  ["page.weight:1.5", "a"],
  ["big.number:9007199254740993", "b"],
  ['list:*"b"*', "b"],
  ["resource.service.name:api", "a"],
  ["resource.http.route:*", ""],
  ["exception.type:TypeError", "a"],
  ["event.exception.message:*function", "a"],
  ['messaging.destination.name:"orders*new"', "c"],
  ['"weird \\"key\\"":"\\\\ back"', "c"],
  ['"weird \\"key\\"":*', "c"],
  ['"empty value":""', "a"],
  ['"no such key":""', ""],
  ['"name":/cart', ""],
  ["has:db.query.text", "a"],
  ["db.statement:*", "a"],
  ["-has:http.status_code", ""],
  ["has:nothing.like.it", ""],
  ["run:before", "a"],
  ["run:bef*", "a"],
  ["-run:before", "bc"],
  // Words without a field.
  ["orders", "ac"],
  ["ORDERS", "ac"],
  ["worker", "c"],
  ["timed", "a"],
  ['"is not a"', "a"],
  ["übermittlung", "c"],
  ["/traces", "ab"],
  ["00000000000000000000000000000001", "a"],
  ["000000000000001f", "c"],
  ["-orders", "b"],
  ["100%_sure", "a"],
  ["nothing", ""],
  // Combinations.
  ["service:web status:error", "a"],
  ["service:web AND status:error", "a"],
  ["status:error OR service:Worker-1", "ac"],
  ["(status:error OR service:Worker-1) source:sentry", "c"],
  ["status:error OR service:Worker-1 source:sentry", "ac"],
  ["-(status:error OR source:both)", "c"],
  ["NOT status:error NOT source:both", "c"],
  ["service:api http.route:/traces/[traceId]", "a"],
  ["{service:api http.route:/traces/[traceId]}", ""],
  ["{service:api http.status_code:5xx duration>100ms}", "a"],
  ["{http.status_code:* -http.status_code:200}", "abc"],
  ["{name:select (service:db OR service:web) -status:error}", "a"],
  ["-{name:prefetch}", "ac"],
  ["{span.name:select span.kind:client}", "a"],
  ["{root.http.route:/cart}", "b"],
  ["{root.service:db}", ""],
  ["has:route", "ab"],
  ["has:env -env:staging", "b"],
  ["{source:sentry http.status_code:204}", "b"],
  ["{kind:server source:sentry}", "b"],
  ["route:/traces/[traceId] duration>500ms status:error service:web http.status_code:5xx -name:prefetch", "a"],
]

function resource(name: string, more: Record<string, AttributeValue>): SpanRecord["resource"] {
  return { attributes: new Map(Object.entries({ "service.name": name, ...more })), schemaUrl: "" }
}

function exception(type: string, message: string): SpanRecord["events"][number] {
  return {
    time: nanoseconds(start + 1n),
    name: "exception",
    attributes: new Map([
      ["exception.type", type],
      ["exception.message", message],
    ]),
  }
}
