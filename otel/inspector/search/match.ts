import { type Attributes, attributeText } from "../../protocol/records/attributes.ts"
import { serviceName, type SpanRecord } from "../../protocol/records/span.ts"
import type { TraceSummary } from "../queries/list/trace-summary.ts"
import { summariseSpans } from "../queries/trace/trace-delta.ts"
import {
  type AttributeBag,
  type AttributeTest,
  decide,
  type FilterTree,
  isDenial,
  isGroup,
  type Range,
  type SpanLeaf,
  type SpanTest,
  type SpanTree,
  type TextTest,
  type TraceTest,
} from "./tree.ts"
import { NUMBER } from "./values.ts"

/** Whether a trace of these spans, and no others, passes the filter. Without a span there is no trace. */
export function matchesTrace(tree: FilterTree, spans: readonly SpanRecord[]): boolean {
  const [first] = spans
  if (first === undefined) return false
  return matchesSummary(tree, summariseSpans(first.traceId, spans), ({ where }) =>
    spans.some((span) => matchesSpan(where, span)),
  )
}

/**
 * The same for a trace whose spans come one after the other: what the list's row says of it, and which of the
 * questions about single spans have been answered by any span so far. Once answered they stay so.
 */
export function matchesSummary(
  tree: FilterTree,
  trace: TraceSummary,
  isAnswered: (question: SpanLeaf) => boolean,
): boolean {
  return decide(tree, (leaf) => (leaf.is === "some span" ? isAnswered(leaf) : passesTrace(leaf, trace)))
}

/** The questions about single spans that the filter asks. */
export function spanQuestions(tree: FilterTree): readonly SpanLeaf[] {
  if (isGroup(tree)) return tree.nodes.flatMap(spanQuestions)
  if (isDenial(tree)) return spanQuestions(tree.node)
  return tree.is === "some span" ? [tree] : []
}

function passesTrace(test: TraceTest, trace: TraceSummary): boolean {
  switch (test.is) {
    case "trace name":
      return matchesText(test.text, trace.name)
    case "trace duration":
      return isWithin(test.range, trace.duration as bigint)
    case "span count":
      return isWithin(test.range, trace.spanCount)
    case "error count":
      return isWithin(test.range, trace.errorCount)
    case "sources":
      return test.all.every((source) => trace.sources.includes(source))
    case "started":
      return trace.startTime >= test.from && (test.to === undefined || trace.startTime < test.to)
  }
}

/** Whether one span has all that the tree asks for. */
export function matchesSpan(tree: SpanTree, span: SpanRecord): boolean {
  return decide(tree, (test) => passesSpan(test, span))
}

function passesSpan(test: SpanTest, span: SpanRecord): boolean {
  switch (test.is) {
    case "name":
      return matchesText(test.text, span.name)
    case "service":
      return matchesText(test.text, serviceName(span.resource))
    case "status message":
      return matchesText(test.text, span.status.message)
    case "trace id":
      return matchesText(test.text, span.traceId)
    case "span id":
      return matchesText(test.text, span.spanId)
    case "kind":
      return span.kind === test.kind
    case "status":
      return span.status.code === test.code
    case "source":
      return span.source === test.source
    case "root":
      return span.parentSpanId === undefined
    case "duration":
      return isWithin(test.range, lengthOf(span))
    case "attribute":
      return hasAttribute(test, span)
    case "any value":
      return [span.attributes, ...bagsOf(span, "event")].some((attributes) =>
        [...attributes.values()].some((value) => matchesText(test.text, attributeText(value))),
      )
  }
}

/** As it is stored: a span that ends before it starts has no length. */
function lengthOf({ startTime, endTime }: SpanRecord): bigint {
  return endTime > startTime ? endTime - startTime : 0n
}

function hasAttribute(test: AttributeTest, span: SpanRecord): boolean {
  return test.bags.some((bag) =>
    bagsOf(span, bag).some((attributes) => test.names.some((name) => valuePasses(test, attributes, name))),
  )
}

function bagsOf(span: SpanRecord, bag: AttributeBag): readonly Attributes[] {
  if (bag === "event") return span.events.map(({ attributes }) => attributes)
  return [bag === "span" ? span.attributes : span.resource.attributes]
}

function valuePasses({ value: test }: AttributeTest, attributes: Attributes, name: string): boolean {
  const value = attributes.get(name)
  if (value === undefined) return false
  const text = attributeText(value)
  if (test.is !== "number") return matchesText(test, text)
  return NUMBER.test(text) && isWithin(test.range, Number(text))
}

/** Compares as the store does: to the letter, but for `contains`, which has no capital letters. */
export function matchesText(test: TextTest, text: string): boolean {
  switch (test.is) {
    case "anything":
      return true
    case "equal":
      return text === test.text
    case "contains":
      return text.toLowerCase().includes(test.text)
    case "pattern":
      return matchesPieces(test.pieces, text)
  }
}

/** In time proportional to the text, whatever the pieces are: each is taken where it first occurs. */
function matchesPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? ""
  const last = pieces.at(-1) ?? ""
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  const end = text.length - last.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return at <= end
}

export function isWithin<T extends number | bigint>(range: Range<T>, value: T): boolean {
  const { from, to } = range
  if (from !== undefined && (value < from || (range.fromExcluded && value === from))) return false
  return to === undefined || value < to || (value === to && !range.toExcluded)
}
