import { SPAN_KINDS, SPAN_SOURCES, STATUS_CODES } from "../../protocol/records/span.ts"
import { namesOf, SHORT_NAMES } from "./fields.ts"
import { type Operator, type TextToken, Unreadable } from "./tokens.ts"
import type { AttributeBag, AttributeTest, FilterTree, SpanTree, TextTest } from "./tree.ts"
import { durationRange, isNumberRange, numberClass, numberRange, proseTest, textTest } from "./values.ts"

/** The filter of a retained run by name; `undefined` for an unknown name. */
export type RunLookup = (name: string) => FilterTree | undefined

/** The condition of a term on a trace. Fields of spans apply to any of its spans. @throws {Unreadable} */
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
      return word(term, ["error", "ok"]) === "error" ? { is: "failed" } : { is: "not", node: { is: "failed" } }
    case "source": {
      const source = word(term, [...SPAN_SOURCES, "both"])
      return { is: "sources", all: source === "both" ? SPAN_SOURCES : [source] }
    }
    case "missing":
      return { is: word(term, ["root", "parent"]) === "root" ? "missing root" : "missing parent" }
    case "run":
      return runTerm(term, runs)
    default:
      return { is: "some span", where: prefixedTerm(term, field) }
  }
}

/** Spans carry the name of their run, or the retained run has a filter. */
function runTerm({ operator, key, value }: Term, runs: RunLookup): FilterTree {
  if (/[<>]/.test(operator)) throw new Unreadable("run takes a name", key)
  const attribute = { ...key, text: "pagespan.run", isQuoted: true }
  const marked: FilterTree = { is: "some span", where: spanTerm({ key: attribute, operator, value }) }
  const retained = runs(value.text)
  return retained === undefined ? marked : { is: "or", nodes: [marked, retained] }
}

/** `span.name` is the name of any span, `root.http.route` an attribute of a span without a parent. */
export function prefixedTerm(term: Term, field = fieldOf(term)): SpanTree {
  const [, prefix, rest] = /^(span|root)\.(.+)$/.exec(field ?? "") ?? []
  if (rest === undefined) return spanTerm(term)
  const own = spanTerm(term, rest)
  return prefix === "root" ? { is: "and", nodes: [{ is: "root" }, own] } : own
}

/** One term with everything that it needs: `key operator value`. `name` is the key where it names a field, not an attribute. */
export interface Term {
  readonly key: TextToken
  readonly operator: Operator
  readonly value: TextToken
}

/** The condition of a term on one span. @throws {Unreadable} */
export function spanTerm(term: Term, key = fieldOf(term)): SpanTree {
  switch (key) {
    case "name":
      return { is: "name", text: prose(term) }
    case "message":
      return { is: "status message", text: prose(term) }
    case "service":
      return { is: "service", text: wholeText(term) }
    case "trace":
      return { is: "trace id", text: idText(term) }
    case "span":
      return { is: "span id", text: idText(term) }
    case "kind":
      return { is: "kind", kind: word(term, SPAN_KINDS) }
    case "status":
      return { is: "status", code: word(term, STATUS_CODES) }
    case "source":
      return { is: "source", source: word(term, SPAN_SOURCES) }
    case "duration":
      return { is: "duration", range: durationRange(term.operator, term.value) }
    case "spans":
    case "errors":
    case "missing":
    case "run":
      throw new Unreadable(`${key} applies to a whole trace, not to one span`, term.key)
    case "has":
      return attribute(namedBy(term.value), { is: "anything" })
    default:
      return attributeTerm(term, namedBy({ ...term.key, text: key ?? term.key.text }))
  }
}

/** A quoted key is always an attribute. */
export function fieldOf({ key }: Term): string | undefined {
  return key.isQuoted ? undefined : key.text
}

/** Free text matches names, attribute values and ids of a span. */
export function freeText(value: TextToken): SpanTree {
  const text = proseTest(value)
  const id: TextTest = { is: "equal", text: value.text.toLowerCase() }
  return {
    is: "or",
    nodes: [
      { is: "name", text },
      { is: "service", text },
      { is: "status message", text },
      { is: "any value", text },
      ...(/^[\da-f]{32}$/i.test(value.text) ? [{ is: "trace id", text: id } as const] : []),
      ...(/^[\da-f]{16}$/i.test(value.text) ? [{ is: "span id", text: id } as const] : []),
    ],
  }
}

/** An attribute, and where it is if the filter says so. */
interface AttributeName {
  readonly name: string
  readonly bag?: AttributeBag
}

/** Quoted text is the name itself. Other text may be short for one, or begin with `resource.` or `event.`. */
function namedBy({ isQuoted, text }: TextToken): AttributeName {
  const [, bag, name] = isQuoted ? [] : (/^(resource|event)\.(.+)$/.exec(text) ?? [])
  if (name !== undefined) return { name, bag: bag as AttributeBag }
  return { name: (isQuoted ? undefined : SHORT_NAMES.get(text)) ?? text }
}

function attributeTerm(term: Omit<Term, "key">, named: AttributeName): SpanTree {
  const tests = attributeValue(term).map((value) => attribute(named, value))
  const [only] = tests
  return tests.length === 1 && only !== undefined ? only : { is: "or", nodes: tests }
}

/** The tests of an attribute's value, any of which it must pass. */
export function attributeValue({ operator, value }: Omit<Term, "key">): readonly AttributeTest["value"][] {
  if (/[<>]/.test(operator) || isNumberRange(value)) return [{ is: "number", range: numberRange(operator, value) }]
  const range = numberClass(value)
  return range === undefined ? [textTest(value)] : [textTest(value), { is: "number", range }]
}

function attribute({ bag, name }: AttributeName, value: AttributeTest["value"]): AttributeTest {
  return { is: "attribute", names: namesOf(name), bags: bagsOf(name, bag), value }
}

/** `exception.*` attributes are on events by convention, so they match without the prefix. */
function bagsOf(name: string, bag: AttributeBag | undefined): readonly AttributeBag[] {
  if (bag !== undefined) return [bag]
  return name.startsWith("exception.") ? ["span", "resource", "event"] : ["span", "resource"]
}

/** `:` matches a substring, `=` the whole text. */
export function prose(term: Term): TextTest {
  refuseComparison(term)
  return term.operator === ":" ? proseTest(term.value) : textTest(term.value)
}

export function wholeText(term: Term): TextTest {
  refuseComparison(term)
  return textTest(term.value)
}

/** Ids are stored in lower case. */
export function idText(term: Term): TextTest {
  return wholeText({ ...term, value: { ...term.value, text: term.value.text.toLowerCase() } })
}

export function word<Word extends string>(term: Term, words: readonly Word[]): Word {
  refuseComparison(term)
  const { key, value } = term
  const found = words.find((known) => known === value.text.toLowerCase())
  if (found !== undefined) return found
  const known = words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
  throw new Unreadable(`${key.text} is ${known}, not “${value.text}”`, value)
}

export function refuseComparison({ key, operator, value }: Term): void {
  if (!/[<>]/.test(operator)) return
  throw new Unreadable(`${key.text} is text and has no ${operator}: write ${key.text}:${value.text}`, {
    start: key.start,
    end: value.end,
  })
}
