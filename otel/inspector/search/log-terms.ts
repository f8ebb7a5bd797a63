import { SEVERITIES, SEVERITY_NUMBERS } from "../../protocol/records/log.ts"
import { SPAN_SOURCES, type SpanSource } from "../../protocol/records/span.ts"
import { type Field, namesOf, SHORT_NAMES } from "./fields.ts"
import { attributeValue, fieldOf, idText, prose, refuseComparison, type Term, wholeText, word } from "./terms.ts"
import { type TextToken, Unreadable } from "./tokens.ts"
import type { AttributeTest, Logic, Range, TextTest } from "./tree.ts"
import { proseTest } from "./values.ts"

/** The filter language for logs: its fields, and the condition of each term on one log record. */

export type LogTree = Logic<LogTest>

export type LogTest =
  | { readonly is: "body" | "service" | "event name" | "trace id" | "span id"; readonly text: TextTest }
  /** By the number, or by the text where the number is unset. */
  | { readonly is: "severity"; readonly range: Range<number> }
  | { readonly is: "source"; readonly source: SpanSource }
  | LogAttributeTest
  /** Any attribute of the record has this value. */
  | { readonly is: "any value"; readonly text: TextTest }

export interface LogAttributeTest extends Pick<AttributeTest, "names" | "value"> {
  readonly is: "attribute"
  readonly bags: readonly ("record" | "resource")[]
}

export const LOG_FIELDS: readonly Field[] = [
  { key: "body", about: "Body contains the text" },
  { key: "severity", about: "Severity; severity>=warn for this and all above", words: SEVERITIES },
  { key: "service", about: "service.name of the resource" },
  { key: "trace", about: 'Trace id, or its prefix and *; trace:"" for logs without a trace' },
  { key: "span", about: "Span id, or its prefix and *" },
  { key: "event.name", about: "Name of the event" },
  { key: "env", about: "deployment.environment.name" },
  { key: "release", about: "service.version" },
  { key: "source", about: "Protocol that delivered it", words: SPAN_SOURCES },
  { key: "has", about: "Has this attribute" },
]

/** Fields of traces and spans, with the field of logs that users mean where there is one. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["status", "severity"],
  ["message", "body"],
  ["name", "body"],
  ...["duration", "spans", "errors", "kind", "run"].map((key) => [key, ""] as const),
  ...["span.name", "span.duration", "span.status", "span.source"].map((key) => [key, ""] as const),
])

/** The condition of a term. @throws {Unreadable} */
export function logTerm(term: Term): LogTree {
  const key = fieldOf(term)
  refuseForeign(term, key)
  switch (key) {
    case "body":
      return { is: "body", text: prose(term) }
    case "severity":
      return { is: "severity", range: severityRange(term) }
    case "service":
      return { is: "service", text: wholeText(term) }
    case "trace":
      return { is: "trace id", text: idText(term) }
    case "span":
      return { is: "span id", text: idText(term) }
    case "event.name":
      return { is: "event name", text: wholeText(term) }
    case "source":
      return { is: "source", source: word(term, SPAN_SOURCES) }
    case "has":
      refuseComparison(term)
      if (term.value.text === "event.name") return { is: "event name", text: { is: "anything" } }
      return { is: "attribute", ...namedBy(term.value), value: { is: "anything" } }
    default:
      return attributeTerm(term, namedBy(term.key))
  }
}

/** Free text matches the body, names, attribute values and ids. */
export function freeLogText(value: TextToken): LogTree {
  const text = proseTest(value)
  const id: TextTest = { is: "equal", text: value.text.toLowerCase() }
  return {
    is: "or",
    nodes: [
      { is: "body", text },
      { is: "service", text },
      { is: "event name", text },
      { is: "any value", text },
      ...(/^[\da-f]{32}$/i.test(value.text) ? [{ is: "trace id", text: id } as const] : []),
      ...(/^[\da-f]{16}$/i.test(value.text) ? [{ is: "span id", text: id } as const] : []),
    ],
  }
}

function refuseForeign({ key }: Term, field: string | undefined): void {
  const meant = field === undefined ? undefined : FOREIGN.get(field)
  if (meant === undefined) return
  const fields = `the fields of logs are ${LOG_FIELDS.map((known) => known.key).join(", ")}, and any attribute by name`
  const instead = meant === "" ? fields : `write ${meant}; ${fields}`
  throw new Unreadable(`Logs have no ${key.text}: ${instead}`, key)
}

const RANGE_LENGTH = 4

/** `severity:warn` is all four numbers of its range, `severity>warn` all above them. */
function severityRange({ key, operator, value }: Term): Range<number> {
  const name = word({ key, operator: "=", value }, [...SEVERITY_NUMBERS.keys()])
  const first = SEVERITY_NUMBERS.get(name) ?? 0
  const last = first + RANGE_LENGTH - 1
  switch (operator.replace(":", "")) {
    case ">":
      return { from: last, fromExcluded: true }
    case ">=":
      return { from: first }
    // Unset is 0, which is no severity.
    case "<":
      return { from: 1, to: first, toExcluded: true }
    case "<=":
      return { from: 1, to: last }
    default:
      return { from: first, to: last }
  }
}

/** An attribute by its names, and where it is. */
type AttributeNames = Pick<LogAttributeTest, "names" | "bags">

/** Quoted text is the name itself. Other text may be short for one, or begin with `resource.`. */
function namedBy({ isQuoted, text }: TextToken): AttributeNames {
  const [, ofResource] = isQuoted ? [] : (/^resource\.(.+)$/.exec(text) ?? [])
  if (ofResource !== undefined) return { names: namesOf(ofResource), bags: ["resource"] }
  const name = (isQuoted ? undefined : SHORT_NAMES.get(text)) ?? text
  return { names: namesOf(name), bags: ["record", "resource"] }
}

function attributeTerm(term: Term, named: AttributeNames): LogTree {
  const tests = attributeValue(term).map((value): LogAttributeTest => ({ is: "attribute", ...named, value }))
  const [only] = tests
  return tests.length === 1 && only !== undefined ? only : { is: "or", nodes: tests }
}
