import { matchesPattern } from "../../../protocol/pattern.ts"
import { pageOfEachRow, type TraceTree, traceTree } from "../routes/pages-of-trace.ts"
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

type Tree = TraceTree<SpansOfTrace>

function countTrace(trace: SpansOfTrace, views: readonly View[], matches: Matches, patterns: number): ViewCounts[] {
  const pages = views.filter(({ kind }) => kind !== "request").map(({ spanId }) => spanId)
  const tree = traceTree(trace, pages)
  const below = countBelow(tree, matches, patterns)
  const ofPages = countPages(tree, matches, patterns)
  return views.flatMap((view) => {
    const row = tree.rows.get(view.spanId) ?? -1
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

/** Names repeat: each is compared with the patterns once. */
function nameMatcher(patterns: readonly string[]): Matches {
  const known = new Map<string, readonly boolean[]>()
  return (name) => {
    const found = known.get(name) ?? patterns.map((pattern) => matchesPattern(name, pattern))
    known.set(name, found)
    return found
  }
}
