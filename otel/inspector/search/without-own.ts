import { quoteIfNeeded } from "./edit.ts"
import type { FilterTree, SpanTree } from "./tree.ts"

/** The filter, and besides that a span of some other service: traces of these services alone do not pass. */
export function withoutInternal(tree: FilterTree | undefined, services: readonly string[]): FilterTree {
  const own: SpanTree = {
    is: "or",
    nodes: services.map((text) => ({ is: "service", text: { is: "equal", text } })),
  }
  const other: FilterTree = { is: "some span", where: { is: "not", node: own } }
  return tree === undefined ? other : { is: "and", nodes: [tree, other] }
}

/** The same as text, for the live feed. */
export function textWithoutInternal(text: string, services: readonly string[]): string {
  const other = `{-service:(${services.map(quoteIfNeeded).join(" ")})}`
  return text === "" ? other : `(${text}) ${other}`
}
