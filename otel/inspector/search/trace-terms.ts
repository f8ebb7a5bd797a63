import { SPAN_SOURCES } from "../../protocol/records/span.ts"
import { Unreadable } from "./problem.ts"
import { fieldOf, prose, spanTerm, type Term, word } from "./span-terms.ts"
import type { FilterTree, SpanTree } from "./tree.ts"
import { durationRange, numberRange } from "./values.ts"

/** The filter of a run that was kept under a name; `undefined` for a name that is not known. */
export type RunLookup = (name: string) => FilterTree | undefined

/** What a term asks of a trace. What is not a field of the trace is asked of its spans. @throws {Unreadable} */
export function traceTerm(term: Term, runs: RunLookup): FilterTree {
  const field = fieldOf(term)
  const { operator, value } = term
  switch (field) {
    case "name":
      return { is: "trace name", text: prose(term) }
    case "duration":
      return { is: "trace duration", range: durationRange(operator, value) }
    case "spans":
      return { is: "span count", range: numberRange(operator, value) }
    case "errors":
      return { is: "error count", range: numberRange(operator, value) }
    case "status":
      return { is: "error count", range: word(term, ["error", "ok"]) === "error" ? { from: 1 } : { to: 0 } }
    case "source": {
      const source = word(term, [...SPAN_SOURCES, "both"])
      return { is: "sources", all: source === "both" ? SPAN_SOURCES : [source] }
    }
    case "run":
      return runTerm(term, runs)
    default:
      return { is: "some span", where: prefixedTerm(term, field) }
  }
}

/** Spans of a run say so themselves, or the run was kept with a filter of its own. */
function runTerm({ operator, key, value }: Term, runs: RunLookup): FilterTree {
  if (/[<>]/.test(operator)) throw new Unreadable("run takes a name", key)
  const attribute = { ...key, text: "pagespan.run", isQuoted: true }
  const marked: FilterTree = { is: "some span", where: spanTerm({ key: attribute, operator, value }) }
  const kept = runs(value.text)
  return kept === undefined ? marked : { is: "or", nodes: [marked, kept] }
}

/** `span.name` is the name of any span, `root.http.route` an attribute of a span without a parent. */
function prefixedTerm(term: Term, field: string | undefined): SpanTree {
  const [, prefix, rest] = /^(span|root)\.(.+)$/.exec(field ?? "") ?? []
  if (rest === undefined) return spanTerm(term)
  const own = spanTerm(term, rest)
  return prefix === "root" ? { is: "and", nodes: [{ is: "root" }, own] } : own
}
