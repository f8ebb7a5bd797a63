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
 * Counts what each view of a sample caused. A page load or navigation has a trace of its own, with the request that rendered
 * the page: all spans of it count. A request has the spans below it, without those of the page that it rendered.
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

function countTrace(trace: SpansOfTrace, views: readonly View[], matches: Matches, patterns: number): ViewCounts[] {
  const rows = new Map(trace.ids.map((id, row) => [id, row]))
  const pages = new Set(views.filter(({ kind }) => kind !== "request").map(({ spanId }) => rows.get(spanId)))
  const below = trace.ids.map(() => ({
    requests: 0,
    bytes: 0,
    spans: Array.from<number>({ length: patterns }).fill(0),
  }))
  const whole = Array.from({ length: patterns }, (_, at) => trace.names.filter((name) => matches(name)[at]).length)
  // Children come before their parents: each row passes on what it and the rows below it have.
  for (const row of parentsFirst(trace, rows).toReversed()) {
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
  return views.flatMap((view) => {
    const own = below[rows.get(view.spanId) ?? -1]
    if (own === undefined) return []
    return [{ ...view, ...own, spans: view.kind === "request" ? own.spans : whole }]
  })
}

/** Rows in an order in which each comes after its parent. Rows of a ring of parents are left out. */
function parentsFirst({ ids, parents }: SpansOfTrace, rows: ReadonlyMap<string, number>): number[] {
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
