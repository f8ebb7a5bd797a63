import type { Attributes } from "../../model/attributes.ts"
import type { SpanRecord } from "../../model/span.ts"
import { attributesJson, quote } from "./attributes-json.ts"
import { type AttributeTypes, type ExactAttributes, typesOfBag } from "./attribute-types.ts"

/** Types of a span's attribute bags: span, resource, scope, and events and links by their index. Empty bags are absent. */
interface BagsOf<Bag> {
  readonly s?: Bag
  readonly r?: Bag
  readonly c?: Bag
  readonly e?: Readonly<Record<number, Bag>>
  readonly l?: Readonly<Record<number, Bag>>
}

export type SpanTypes = BagsOf<AttributeTypes>
export type SpanExacts = BagsOf<ExactAttributes>

/** An attribute bag as JSON text: the column, its types and its exact values; empty where it has none. */
interface BagText {
  readonly text: string
  readonly types: string
  readonly exact: string
}

export interface SpanBags {
  readonly span: BagText
  readonly resource: BagText
  readonly scope: BagText
  readonly events: readonly BagText[]
  readonly links: readonly BagText[]
}

/** Writes the bags of spans, and remembers those of resources and scopes, which many spans of a batch share. */
export class BagWriter {
  readonly #shared = new Map<Attributes, BagText>()

  bagsOf({ attributes, resource, scope, events, links }: SpanRecord): SpanBags {
    return {
      span: bagText(attributes),
      resource: this.#sharedBag(resource.attributes),
      scope: this.#sharedBag(scope.attributes),
      events: events.map((event) => bagText(event.attributes)),
      links: links.map((link) => bagText(link.attributes)),
    }
  }

  #sharedBag(attributes: Attributes): BagText {
    const known = this.#shared.get(attributes)
    if (known !== undefined) return known
    const bag = bagText(attributes)
    this.#shared.set(attributes, bag)
    return bag
  }
}

function bagText(attributes: Attributes): BagText {
  const { types, exact } = typesOfBag(attributes)
  return {
    text: attributesJson(attributes),
    types: types === undefined ? "" : JSON.stringify(types),
    exact: exact === undefined ? "" : JSON.stringify(exact),
  }
}

/** One part of every bag that has it, as JSON in the text of a column; empty text when no bag has it. */
export function partOfBags(bags: SpanBags, part: "types" | "exact"): string {
  const parts = [
    ["s", bags.span[part]],
    ["r", bags.resource[part]],
    ["c", bags.scope[part]],
    ["e", byIndex(bags.events, part)],
    ["l", byIndex(bags.links, part)],
  ] as const
  const told = parts.filter(([, text]) => text !== "")
  return told.length === 0 ? '""' : quote(`{${told.map(([name, text]) => `"${name}":${text}`).join(",")}}`)
}

function byIndex(bags: readonly BagText[], part: "types" | "exact"): string {
  const told = bags.flatMap((bag, index) => (bag[part] === "" ? [] : [`"${index}":${bag[part]}`]))
  return told.length === 0 ? "" : `{${told.join(",")}}`
}
