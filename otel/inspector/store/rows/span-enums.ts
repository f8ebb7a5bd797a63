import type { SpanKind, StatusCode } from "../../../protocol/records/span.ts"

/** The collector's exporter stores span kind and status code by these names. */

const KIND_NAMES: Readonly<Record<SpanKind, string>> = {
  unspecified: "Unspecified",
  internal: "Internal",
  server: "Server",
  client: "Client",
  producer: "Producer",
  consumer: "Consumer",
}

const STATUS_NAMES: Readonly<Record<StatusCode, string>> = { unset: "Unset", ok: "Ok", error: "Error" }

const KINDS = new Map(Object.entries(KIND_NAMES).map(([kind, name]) => [name, kind as SpanKind]))
const STATUSES = new Map(Object.entries(STATUS_NAMES).map(([code, name]) => [name, code as StatusCode]))

export function kindName(kind: SpanKind): string {
  return KIND_NAMES[kind]
}

export function statusName(code: StatusCode): string {
  return STATUS_NAMES[code]
}

export function kindOfName(name: string): SpanKind {
  return KINDS.get(name) ?? "unspecified"
}

export function statusOfName(name: string): StatusCode {
  return STATUSES.get(name) ?? "unset"
}
