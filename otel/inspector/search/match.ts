import { matchesPieces } from "../../protocol/pattern.ts"
import { type Attributes, attributeText } from "../../protocol/records/attributes.ts"
import { serviceName, type SpanRecord } from "../../protocol/records/span.ts"
import { shownErrorCount, type TraceSummary } from "../queries/list/trace-summary.ts"
import { ArrivedSpans } from "../queries/trace/arrived-spans.ts"
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

/**
 * Whether the trace of these spans matches the filter. `false` without spans.
 *
 * @param reportedErrorCount errors that were reported in the trace.
 */
export function matchesTrace(tree: FilterTree, spans: readonly SpanRecord[], reportedErrorCount = 0): boolean {
  const [first] = spans
  if (first === undefined) return false
  const summary = { ...summariseSpans(first.traceId, spans), reportedErrorCount }
  return matchesSummary(tree, summary, {
    isAnswered: ({ where }) => spans.some((span) => matchesSpan(where, span)),
    isParentMissing: () => new ArrivedSpans(spans).isParentMissing,
  })
}

/** What a filter asks about a trace beyond its summary. */
export interface Answers {
  /** Whether any span has met the condition. */
  isAnswered(question: SpanLeaf): boolean
  isParentMissing(): boolean
}

/**
 * Matches a trace whose spans arrive in several batches: by its summary, and by which span conditions any span has met so
 * far. A condition that was met stays met.
 */
export function matchesSummary(tree: FilterTree, trace: TraceSummary, answers: Answers): boolean {
  return decide(tree, (leaf) => {
    if (leaf.is === "some span") return answers.isAnswered(leaf)
    return leaf.is === "missing parent" ? answers.isParentMissing() : passesTrace(leaf, trace)
  })
}

/** The conditions of the filter on single spans. */
export function spanQuestions(tree: FilterTree): readonly SpanLeaf[] {
  if (isGroup(tree)) return tree.nodes.flatMap(spanQuestions)
  if (isDenial(tree)) return spanQuestions(tree.node)
  return tree.is === "some span" ? [tree] : []
}

/** Whether the filter has such a condition: on missing parents, or on the number of errors. */
export function asksFor(tree: FilterTree, what: "missing parent" | "error count"): boolean {
  if (isGroup(tree)) return tree.nodes.some((node) => asksFor(node, what))
  return isDenial(tree) ? asksFor(tree.node, what) : tree.is === what
}

function passesTrace(test: Exclude<TraceTest, { is: "missing parent" }>, trace: TraceSummary): boolean {
  switch (test.is) {
    case "trace name":
      return matchesText(test.text, trace.name)
    case "trace duration":
      return isWithin(test.range, trace.duration as bigint)
    case "span count":
      return isWithin(test.range, trace.spanCount)
    case "failed":
      return trace.errorCount > 0
    case "error count":
      return isWithin(test.range, shownErrorCount(trace))
    case "missing root":
      return trace.isProvisional
    case "sources":
      return test.all.every((source) => trace.sources.includes(source))
    case "started":
      return trace.startTime >= test.from && (test.to === undefined || trace.startTime < test.to)
  }
}

/** Whether one span matches the tree. */
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

/** As in the store: a span that ends before it starts has duration 0. */
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

/** Compares as the store does: case-sensitively, except for `contains`. */
export function matchesText(test: TextTest, text: string): boolean {
  switch (test.is) {
    case "anything":
      return true
    case "equal":
      return text === test.text
    case "contains":
      return text.toLowerCase().includes(test.text)
    case "pattern":
      return matchesPieces(text, test.pieces)
  }
}

export function isWithin<T extends number | bigint>(range: Range<T>, value: T): boolean {
  const { from, to } = range
  if (from !== undefined && (value < from || (range.fromExcluded && value === from))) return false
  return to === undefined || value < to || (value === to && !range.toExcluded)
}
