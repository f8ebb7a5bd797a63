import { SPAN_KINDS, SPAN_SOURCES, STATUS_CODES } from "../../protocol/records/span.ts"

/** A field of the filter language, for the parser, for completion and for the reference. */
export interface Field {
  readonly key: string
  readonly about: string
  /** Its values, if they are a closed set. */
  readonly words?: readonly string[]
  /** Compares durations, or numbers. */
  readonly compares?: "time" | "number"
}

/** Of the trace, as a row of the list shows it. */
const TRACE_FIELDS: readonly Field[] = [
  { key: "name", about: "Name of the trace (of its root) contains the text" },
  { key: "duration", about: "Duration of the trace", compares: "time" },
  { key: "status", about: "error if a span failed, else ok", words: ["error", "ok"] },
  { key: "source", about: "Protocols that delivered it", words: [...SPAN_SOURCES, "both"] },
  { key: "spans", about: "Number of spans", compares: "number" },
  { key: "errors", about: "Number of failed spans, or else of reported errors", compares: "number" },
  { key: "missing", about: "It lacks its root, or the parent of a span", words: ["root", "parent"] },
]

/** Of any one of its spans. */
const SPAN_FIELDS: readonly Field[] = [
  { key: "route", about: "http.route of a span" },
  { key: "service", about: "service.name of a span" },
  { key: "kind", about: "Kind of a span", words: SPAN_KINDS },
  { key: "message", about: "Status message of a span contains the text" },
  { key: "env", about: "deployment.environment.name" },
  { key: "release", about: "service.version" },
  { key: "trace", about: "Trace id, or its prefix and *" },
  { key: "span", about: "Span id, or its prefix and *" },
]

/** Fields of a single span only. */
const OWN_FIELDS: readonly Field[] = [
  { key: "span.name", about: "Name of a span contains the text" },
  { key: "span.duration", about: "Duration of a span", compares: "time" },
  { key: "span.status", about: "Status of a span", words: STATUS_CODES },
  { key: "span.source", about: "Protocol that delivered a span", words: SPAN_SOURCES },
]

const OTHER_FIELDS: readonly Field[] = [
  { key: "has", about: "A span has this attribute" },
  { key: "run", about: "Belongs to this run" },
]

export const FIELDS: readonly Field[] = [...TRACE_FIELDS, ...SPAN_FIELDS, ...OWN_FIELDS, ...OTHER_FIELDS]

/** Attributes that have a short name here. */
export const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ["route", "http.route"],
  ["env", "deployment.environment.name"],
  ["release", "service.version"],
])

/**
 * Attributes that the semantic conventions renamed. Each group is one attribute, its current name first. Attributes whose
 * values changed with the name are not included.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/non-normative/http-migration/
 * @see https://opentelemetry.io/docs/specs/semconv/non-normative/db-migration/
 * @see https://opentelemetry.io/docs/specs/semconv/registry/attributes/
 */
const SAME: readonly (readonly string[])[] = [
  ["http.request.method", "http.method"],
  ["http.response.status_code", "http.status_code"],
  ["http.request.body.size", "http.request_content_length"],
  ["http.response.body.size", "http.response_content_length"],
  ["url.full", "http.url"],
  ["url.scheme", "http.scheme"],
  ["user_agent.original", "http.user_agent"],
  ["client.address", "http.client_ip"],
  ["server.address", "net.peer.name", "net.host.name"],
  ["server.port", "net.peer.port", "net.host.port"],
  ["network.peer.address", "net.sock.peer.addr"],
  ["network.protocol.name", "net.protocol.name"],
  ["network.protocol.version", "net.protocol.version"],
  ["db.system.name", "db.system"],
  ["db.query.text", "db.statement"],
  ["db.namespace", "db.name"],
  ["db.operation.name", "db.operation"],
  ["db.collection.name", "db.sql.table", "db.mongodb.collection", "db.cassandra.table"],
  ["messaging.destination.name", "messaging.destination"],
  ["messaging.operation.name", "messaging.operation"],
  ["rpc.system.name", "rpc.system"],
  ["deployment.environment.name", "deployment.environment"],
  ["code.function.name", "code.function"],
  ["code.file.path", "code.filepath"],
  ["code.line.number", "code.lineno"],
  ["code.column.number", "code.column"],
  ["user.id", "enduser.id"],
]

const GROUPS: ReadonlyMap<string, readonly string[]> = new Map(
  SAME.flatMap((group) => group.map((name) => [name, group] as const)),
)

/** The current name of each attribute that was renamed. */
export const CURRENT_NAMES: ReadonlyMap<string, string> = new Map(
  SAME.flatMap(([current, ...old]) => old.map((name) => [name, current ?? name] as const)),
)

/** All names of an attribute, its own among them. */
export function namesOf(attribute: string): readonly string[] {
  return GROUPS.get(attribute) ?? [attribute]
}
