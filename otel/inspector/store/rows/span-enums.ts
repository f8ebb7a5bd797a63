import type { SpanKind, StatusCode } from "../../../protocol/records/span.ts"

/** The words that the collector's exporter writes for kind and status, and their meaning. */

const KIND_WORDS: Readonly<Record<SpanKind, string>> = {
  unspecified: "Unspecified",
  internal: "Internal",
  server: "Server",
  client: "Client",
  producer: "Producer",
  consumer: "Consumer",
}

const STATUS_WORDS: Readonly<Record<StatusCode, string>> = { unset: "Unset", ok: "Ok", error: "Error" }

const KINDS = new Map(Object.entries(KIND_WORDS).map(([kind, word]) => [word, kind as SpanKind]))
const STATUSES = new Map(Object.entries(STATUS_WORDS).map(([code, word]) => [word, code as StatusCode]))

export function kindWord(kind: SpanKind): string {
  return KIND_WORDS[kind]
}

export function statusWord(code: StatusCode): string {
  return STATUS_WORDS[code]
}

export function kindOfWord(word: string): SpanKind {
  return KINDS.get(word) ?? "unspecified"
}

export function statusOfWord(word: string): StatusCode {
  return STATUSES.get(word) ?? "unset"
}
