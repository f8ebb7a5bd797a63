import type { Attributes } from "../../../protocol/records/attributes.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
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

/** What the columns of attributes leave out of one bag or of all bags of a span, as JSON; empty where that is nothing. */
export interface BagsText {
  readonly types: string
  readonly exact: string
}

/** Writes what the bags of spans leave out. Spans of one resource and scope come one after the other. */
export class BagWriter {
  readonly #resource = new LastBag()
  readonly #scope = new LastBag()

  textOf({ attributes, resource, scope, events, links }: SpanRecord): BagsText {
    const bags = {
      s: bagText(attributes),
      r: this.#resource.textOf(resource.attributes),
      c: this.#scope.textOf(scope.attributes),
      e: events.map((event) => bagText(event.attributes)),
      l: links.map((link) => bagText(link.attributes)),
    }
    return { types: partOfBags(bags, "types"), exact: partOfBags(bags, "exact") }
  }
}

/** Remembers the text of the bag that it was asked for last. */
class LastBag {
  #attributes: Attributes | undefined
  #text: BagsText = NO_TEXT

  textOf(attributes: Attributes): BagsText {
    if (attributes !== this.#attributes) this.#text = bagText(attributes)
    this.#attributes = attributes
    return this.#text
  }
}

const NO_TEXT: BagsText = { types: "", exact: "" }

function bagText(attributes: Attributes): BagsText {
  const { types, exact } = typesOfBag(attributes)
  return {
    types: types === undefined ? "" : JSON.stringify(types),
    exact: exact === undefined ? "" : JSON.stringify(exact),
  }
}

interface Bags {
  readonly s: BagsText
  readonly r: BagsText
  readonly c: BagsText
  readonly e: readonly BagsText[]
  readonly l: readonly BagsText[]
}

function partOfBags({ s, r, c, e, l }: Bags, part: keyof BagsText): string {
  let told = member("s", s[part]) + member("r", r[part]) + member("c", c[part])
  if (e.length > 0) told += member("e", byIndex(e, part))
  if (l.length > 0) told += member("l", byIndex(l, part))
  return object(told)
}

function byIndex(bags: readonly BagsText[], part: keyof BagsText): string {
  return object(bags.map((bag, index) => member(String(index), bag[part])).join(""))
}

function member(name: string, json: string): string {
  return json === "" ? "" : `,"${name}":${json}`
}

/** Of members that each begin with a comma. */
function object(members: string): string {
  return members === "" ? "" : `{${members.slice(1)}}`
}
