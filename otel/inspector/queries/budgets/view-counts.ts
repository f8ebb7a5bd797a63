import { matchesPattern } from "../../../protocol/pattern.ts"
import type { SpansOfTrace, View, ViewSample } from "./budget-reader.ts"

/** What one page load, navigation or request caused. */
export interface ViewCounts extends View {
  /** HTTP requests of its own service, and the size of their responses. */
  readonly requests: number
  readonly bytes: number
  /** Spans by the position of the pattern that their name matches. */
  readonly spans: readonly number[]
}

/**
 * Counts what each view of a sample caused. A page load or navigation mostly has a trace of its own, with the request that
 * rendered the page: all spans of it count. In a trace of several, such as that of a test, each has those of `pageOfEachRow`.
 * A request has the spans below it, without those of the page that it rendered.
 *
 * @param patterns of span names, in which `*` matches any text.
 */
export function countViews({ sampled, views }: ViewSample, patterns: readonly string[]): ViewCounts[] {
  const byTrace = new Map<string, View[]>()
  for (const view of views) {
    const known = byTrace.get(view.traceId)
    if (known === undefined) byTrace.set(view.traceId, [view])
    else known.push(view)
  }
  const matches = nameMatcher(patterns)
  return sampled.flatMap((trace) => countTrace(trace, byTrace.get(trace.traceId) ?? [], matches, patterns.length))
}

type Matches = (name: string) => readonly boolean[]

/** The rows of a trace in the order of its tree. */
interface Tree {
  readonly trace: SpansOfTrace
  readonly rows: ReadonlyMap<string, number>
  /** Each row after its parent. */
  readonly ordered: readonly number[]
  /** Rows of page loads and navigations. */
  readonly pages: ReadonlySet<number>
}

function countTrace(trace: SpansOfTrace, views: readonly View[], matches: Matches, patterns: number): ViewCounts[] {
  const rows = new Map(trace.ids.map((id, row) => [id, row]))
  const pages = views.filter(({ kind }) => kind !== "request").flatMap(({ spanId }) => rows.get(spanId) ?? [])
  const tree: Tree = { trace, rows, ordered: parentsFirst(trace, rows), pages: new Set(pages) }
  const below = countBelow(tree, matches, patterns)
  const ofPages = countPages(tree, matches, patterns)
  return views.flatMap((view) => {
    const row = rows.get(view.spanId) ?? -1
    const own = below[row]
    return own === undefined ? [] : [{ ...view, ...own, spans: ofPages.get(row) ?? own.spans }]
  })
}

interface CountsBelow {
  requests: number
  bytes: number
  readonly spans: number[]
}

/** What is below each row, without pages and what is below them. */
function countBelow({ trace, rows, ordered, pages }: Tree, matches: Matches, patterns: number): readonly CountsBelow[] {
  const below = trace.ids.map((): CountsBelow => ({ requests: 0, bytes: 0, spans: zeros(patterns) }))
  // Children come before their parents: each row passes on what it and the rows below it have.
  for (const row of ordered.toReversed()) {
    const parent = rows.get(trace.parents[row] ?? "")
    const [own, above] = [below[row], parent === undefined ? undefined : below[parent]]
    if (own === undefined || above === undefined || pages.has(row)) continue
    for (const [at, is] of matches(trace.names[row] ?? "").entries())
      above.spans[at] = (above.spans[at] ?? 0) + (own.spans[at] ?? 0) + (is ? 1 : 0)
    if (trace.isRequest[row]) {
      above.requests += 1
      above.bytes += trace.bytes[row] ?? 0
    }
    if (trace.isServer[row]) continue
    above.requests += own.requests
    above.bytes += own.bytes
  }
  return below
}

/** The spans of each page: all of the trace, unless it has other pages. */
function countPages(tree: Tree, matches: Matches, patterns: number): ReadonlyMap<number, readonly number[]> {
  const counts = new Map([...tree.pages].map((page) => [page, zeros(patterns)]))
  const [first = -1] = tree.pages
  const pageOf = counts.size > 1 ? pageOfEachRow(tree) : undefined
  for (const [row, name] of tree.trace.names.entries()) {
    const spans = counts.get(pageOf === undefined ? first : (pageOf[row] ?? -1))
    if (spans === undefined) continue
    for (const [at, is] of matches(name).entries()) if (is) spans[at] = (spans[at] ?? 0) + 1
  }
  return counts
}

function zeros(length: number): number[] {
  return Array.from<number>({ length }).fill(0)
}

/**
 * The page that each row belongs to, in a trace of several: that of the largest subtree around it with one page. So a page has
 * the request that rendered it, with all that this caused, and the step of a test that opened it.
 */
function pageOfEachRow({ trace, rows, ordered, pages }: Tree): readonly (number | undefined)[] {
  const counts = trace.ids.map((_, row): number => (pages.has(row) ? 1 : 0))
  const pageOf = trace.ids.map((_, row) => (pages.has(row) ? row : undefined))
  const parentOf = (row: number) => rows.get(trace.parents[row] ?? "") ?? -1
  for (const row of ordered.toReversed()) {
    const parent = parentOf(row)
    const above = counts[parent]
    if (counts[row] === 0 || above === undefined) continue
    counts[parent] = above + (counts[row] ?? 0)
    if (!pages.has(parent)) pageOf[parent] = counts[parent] === 1 ? pageOf[row] : undefined
  }
  for (const row of ordered) pageOf[row] ??= pageOf[parentOf(row)]
  return pageOf
}

/** Rows in an order in which each comes after its parent. Rows of a ring of parents are left out. */
function parentsFirst({ ids, parents }: SpansOfTrace, rows: Tree["rows"]): number[] {
  const children = new Map<number, number[]>()
  const order: number[] = []
  for (let row = 0; row < ids.length; row++) {
    const parent = rows.get(parents[row] ?? "")
    if (parent === undefined) order.push(row)
    else if (children.has(parent)) children.get(parent)?.push(row)
    else children.set(parent, [row])
  }
  // An array visits what is added to it during the loop.
  for (const row of order) for (const child of children.get(row) ?? []) order.push(child)
  return order
}

/** Names repeat: each is compared with the patterns once. */
function nameMatcher(patterns: readonly string[]): Matches {
  const known = new Map<string, readonly boolean[]>()
  return (name) => {
    const found = known.get(name) ?? patterns.map((pattern) => matchesPattern(name, pattern))
    known.set(name, found)
    return found
  }
}
