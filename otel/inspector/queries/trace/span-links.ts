import type { SpanKind } from "../../../protocol/records/span.ts"
import type { SpanIds } from "./columns/span-ids.ts"

/** A forest of spans. Indexes refer to the spans in the order given. */
export interface Links {
  /** Indexes in display order: parents before children, siblings in the order given. */
  readonly order: Int32Array
  /** Position of each span in `order`. */
  readonly position: Int32Array
  /** -1 for a span at the top level. */
  readonly parent: Int32Array
  readonly depth: Int32Array
  readonly childCount: Int32Array
  readonly descendantCount: Int32Array
  /** Spans whose parent is missing. */
  readonly missing: ReadonlySet<number>
  /** Spans whose parent link was cut because it closed a ring. */
  readonly cut: ReadonlySet<number>
  readonly ringCount: number
}

const NONE = -1

/** The properties in which spans with one id differ. */
export interface SpanTraits {
  /** The name of the service, or any other value that only its spans have. */
  service(span: number): number | string | undefined
  kind(span: number): SpanKind | undefined
}

/**
 * Links spans to their parents in linear time. It does not recurse, so a chain of 100,000 spans cannot exhaust the stack.
 *
 * @param parentIds id of each span's parent; none for a root span.
 */
export function linkSpans(ids: SpanIds, parentIds: SpanIds, traits: SpanTraits): Links {
  const { parent, missing } = resolveParents(ids, parentIds)
  if (!ids.areDistinct) separateCalls(ids, parent, missing, traits)
  const cut = cutRings(parent)
  const { order, depth } = walk(parent)
  const position = new Int32Array(ids.length)
  order.forEach((span, place) => (position[span] = place))
  return { order, position, parent, depth, ...countBelow(order, parent), missing, cut, ringCount: cut.size }
}

function resolveParents(ids: SpanIds, parentIds: SpanIds) {
  const parent = ids.indexesOf(parentIds)
  const missing = new Set<number>()
  parent.forEach((above, span) => {
    if (above === NONE && !parentIds.isNone(span)) missing.add(span)
  })
  return { parent, missing }
}

/**
 * In Zipkin's libraries the client and the server of a call share one id and one parent. As in Jaeger, the server becomes a child
 * of the client, and a span whose parent has the shared id becomes a child of the span of its own service.
 */
function separateCalls(ids: SpanIds, parent: Int32Array, missing: Set<number>, { service, kind }: SpanTraits): void {
  const firsts = ids.indexesOf(ids)
  const shared = new Set(firsts.filter((first, span) => first !== NONE && first !== span))
  const clients = new Map<number, number>()
  const ofService = new Map<string, number>()
  firsts.forEach((first, span) => {
    if (!shared.has(first)) return
    if (kind(span) === "client" && !clients.has(first)) clients.set(first, span)
    ofService.set(`${first} ${service(span)}`, span)
  })
  parent.forEach((above, span) => {
    const client = clients.get(firsts[span] ?? NONE)
    if (client !== undefined && kind(span) === "server") {
      parent[span] = client
      missing.delete(span)
    } else if (shared.has(above))
      parent[span] = ofService.get(`${above} ${service(span)}`) ?? clients.get(above) ?? above
  })
}

/** Cuts each ring at its first span, which is the earliest when the spans are in order of time. Returns the spans that were cut. */
function cutRings(parent: Int32Array): Set<number> {
  const cut = new Set<number>()
  const walkOf = new Int32Array(parent.length).fill(NONE)
  for (let start = 0; start < parent.length; start++) {
    let span = start
    while (span !== NONE && walkOf[span] === NONE) {
      walkOf[span] = start
      span = parent[span] ?? NONE
    }
    if (span !== NONE && walkOf[span] === start) cut.add(cutRing(parent, span))
  }
  return cut
}

function cutRing(parent: Int32Array, member: number): number {
  let first = member
  for (let span = parent[member] ?? NONE; span !== member; span = parent[span] ?? NONE) first = Math.min(first, span)
  parent[first] = NONE
  return first
}

function walk(parent: Int32Array): { order: Int32Array; depth: Int32Array } {
  const firstChild = new Int32Array(parent.length).fill(NONE)
  const nextSibling = new Int32Array(parent.length).fill(NONE)
  let firstRoot = NONE
  for (let span = parent.length - 1; span >= 0; span--) {
    const above = parent[span] ?? NONE
    if (above === NONE) {
      nextSibling[span] = firstRoot
      firstRoot = span
    } else {
      nextSibling[span] = firstChild[above] ?? NONE
      firstChild[above] = span
    }
  }
  const order = new Int32Array(parent.length)
  let count = 0
  const depth = new Int32Array(parent.length)
  for (let span = firstRoot; span !== NONE; span = following(span, parent, firstChild, nextSibling)) {
    order[count++] = span
    const above = parent[span] ?? NONE
    if (above !== NONE) depth[span] = (depth[above] ?? 0) + 1
  }
  return { order, depth }
}

/** The first child, else the next sibling of the span or its nearest ancestor that has one. Climbs each link once: linear overall. */
function following(span: number, parent: Int32Array, firstChild: Int32Array, nextSibling: Int32Array): number {
  const child = firstChild[span] ?? NONE
  if (child !== NONE) return child
  let climbing = span
  while (climbing !== NONE && nextSibling[climbing] === NONE) climbing = parent[climbing] ?? NONE
  return climbing === NONE ? NONE : (nextSibling[climbing] ?? NONE)
}

function countBelow(order: Int32Array, parent: Int32Array): Pick<Links, "childCount" | "descendantCount"> {
  const childCount = new Int32Array(parent.length)
  const descendantCount = new Int32Array(parent.length)
  for (let place = order.length - 1; place >= 0; place--) {
    const span = order[place] ?? NONE
    const above = parent[span] ?? NONE
    if (above === NONE) continue
    childCount[above] = (childCount[above] ?? 0) + 1
    descendantCount[above] = (descendantCount[above] ?? 0) + (descendantCount[span] ?? 0) + 1
  }
  return { childCount, descendantCount }
}
