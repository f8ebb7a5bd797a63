import { type Attributes, attributeText } from "../../protocol/records/attributes.ts"
import { serviceName, type SpanRecord } from "../../protocol/records/span.ts"
import { decide } from "./decide.ts"
import { isWithin, matchesText } from "./match-text.ts"
import type { AttributeBag, AttributeTest, SpanTest, SpanTree } from "./tree.ts"
import { NUMBER } from "./values.ts"

/** Whether one span has all that the tree asks for. */
export function matchesSpan(tree: SpanTree, span: SpanRecord): boolean {
  return decide(tree, (test) => passes(test, span))
}

function passes(test: SpanTest, span: SpanRecord): boolean {
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
