/**
 * Attributes that the semantic conventions renamed: the same thing, whichever name an SDK of its time sends it under.
 * Each group is one attribute, its present name first. Names whose value changed with the name are left out.
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

/** All names of an attribute, its own among them. */
export function namesOf(attribute: string): readonly string[] {
  return GROUPS.get(attribute) ?? [attribute]
}
