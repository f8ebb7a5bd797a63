import { indexesWhere } from "./columns/typed-arrays.ts"
import { MARK } from "./waterfall-columns.ts"
import type { WaterfallTable } from "./waterfall-table.ts"

/**
 * A search within one trace. Terms are separated by spaces, and a span must match all of them. `word` matches the name, the
 * service or the id; `"two words"` is one term; `attribute=value` matches an attribute, with `*` for any text; `name=`,
 * `service=`, `kind=`, `status=error`, `duration>10ms` and `duration<1s` match columns of the waterfall. Case-insensitive.
 */
export interface SpanSearch {
  /** Terms that the page evaluates on the waterfall. */
  readonly local: readonly LocalTerm[]
  /** Terms that need a query. */
  readonly attributes: readonly AttributeTerm[]
}

export interface AttributeTerm {
  readonly key: string
  /** `*` matches any text. */
  readonly value: string
}

type LocalTerm =
  | { readonly on: "any" | "name" | "service" | "kind"; readonly text: string }
  | { readonly on: "status"; readonly isError: boolean }
  | { readonly on: "longer" | "shorter"; readonly nanos: number }

/** More terms than this are a mistake or an attack. */
const TERM_LIMIT = 10
const TEXT_LIMIT = 1_000
const UNIT_NANOS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9 }
const DURATION = /^duration([<>])(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m)$/i
const TERM = /(?:[^\s"]|"[^"]*(?:"|$))+/g

/** Never throws: a term of no known form is text to search for. */
export function parseSpanSearch(text: string): SpanSearch {
  const local: LocalTerm[] = []
  const attributes: AttributeTerm[] = []
  for (const [term] of [...text.slice(0, TEXT_LIMIT).matchAll(TERM)].slice(0, TERM_LIMIT)) {
    const known = localTerm(term)
    const [, key, value = ""] = /^([^=<>"]+)=(.*)$/s.exec(term) ?? []
    if (known !== undefined) local.push(known)
    else if (key === undefined) local.push({ on: "any", text: plain(term) })
    else attributes.push({ key, value: value === "" ? "*" : plain(value, false) })
  }
  return { local: local.filter((term) => !("text" in term) || term.text !== ""), attributes }
}

function localTerm(term: string): LocalTerm | undefined {
  const [, order, number, unit = ""] = DURATION.exec(term) ?? []
  if (number !== undefined)
    return { on: order === ">" ? "longer" : "shorter", nanos: Number(number) * (UNIT_NANOS[unit.toLowerCase()] ?? 1) }
  const [, on, value = ""] = /^(name|service|kind|status)=(.*)$/is.exec(term) ?? []
  if (on === undefined) return undefined
  if (on.toLowerCase() === "status") return { on: "status", isError: value.toLowerCase() === "error" }
  return { on: on.toLowerCase() as "name", text: plain(value) }
}

function plain(text: string, lower = true): string {
  const without = text.replaceAll('"', "")
  return lower ? without.toLowerCase() : without
}

export function isEmptySearch({ local, attributes }: SpanSearch): boolean {
  return local.length === 0 && attributes.length === 0
}

/** Rows that match all local terms, in order. Tests each distinct name and service once. */
export function findRows(table: WaterfallTable, { local }: Pick<SpanSearch, "local">): Int32Array {
  const tests = local.map((term) => testOf(table, term))
  return indexesWhere(table.length, (row) => tests.every((test) => test(row)))
}

function testOf(table: WaterfallTable, term: LocalTerm): (row: number) => boolean {
  switch (term.on) {
    case "status":
      return (row) => table.has(row, MARK.error) === term.isError
    case "longer":
      return (row) => (table.duration[row] ?? 0) > term.nanos
    case "shorter":
      return (row) => (table.duration[row] ?? 0) < term.nanos
    case "kind":
      return (row) => table.kind(row) === term.text
    case "name":
      return among(table.nameIndex, matching(table.names, term.text))
    case "service":
      return among(table.serviceIndex, matching(table.services, term.text))
    case "any": {
      const ofName = among(table.nameIndex, matching(table.names, term.text))
      const ofService = among(table.serviceIndex, matching(table.services, term.text))
      const isId = /^[0-9a-f]{6,16}$/.test(term.text)
      return (row) => ofName(row) || ofService(row) || (isId && table.spanId(row).startsWith(term.text))
    }
  }
}

function matching(texts: readonly string[], text: string): Uint8Array {
  return Uint8Array.from(texts, (candidate) => (candidate.toLowerCase().includes(text) ? 1 : 0))
}

function among(indexes: Uint32Array, matches: Uint8Array): (row: number) => boolean {
  return (row) => matches[indexes[row] ?? -1] === 1
}
