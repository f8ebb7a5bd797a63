/** Spans of a trace, each once, in columns. */
export interface SpanRows {
  readonly ids: readonly string[]
  /** Empty for a span without a parent. */
  readonly parents: readonly string[]
}

/** The rows of a trace in the order of its tree. */
export interface TraceTree<Trace extends SpanRows = SpanRows> {
  readonly trace: Trace
  readonly rows: ReadonlyMap<string, number>
  /** Each row after its parent. Rows of a ring of parents are left out. */
  readonly ordered: readonly number[]
  /** Rows of page loads and navigations. */
  readonly pages: ReadonlySet<number>
}

/** @param pages ids of the page loads and navigations. */
export function traceTree<Trace extends SpanRows>(trace: Trace, pages: readonly string[]): TraceTree<Trace> {
  const rows = new Map(trace.ids.map((id, row) => [id, row]))
  return { trace, rows, ordered: parentsFirst(trace, rows), pages: new Set(pages.flatMap((id) => rows.get(id) ?? [])) }
}

/**
 * The page that each row belongs to, in a trace of several: that of the largest subtree around it with one page. So a page has
 * the request that rendered it, with all that this caused, and the step of a test that opened it.
 */
export function pageOfEachRow({ trace, rows, ordered, pages }: TraceTree): readonly (number | undefined)[] {
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

/**
 * Ids of the spans that belong to the same pages as some spans of a trace of several pages. A request that belongs to no page has
 * the spans below it that belong to none either.
 */
export function spansOfSamePages(tree: TraceTree, spanIds: readonly string[]): string[] {
  const pageOf = pageOfEachRow(tree)
  const given = new Set(spanIds.flatMap((id) => tree.rows.get(id) ?? []))
  const pages = new Set([...given].map((row) => pageOf[row]).filter((page) => page !== undefined))
  const own = new Set<number>()
  for (const row of tree.ordered) {
    const page = pageOf[row]
    const parent = tree.rows.get(tree.trace.parents[row] ?? "") ?? -1
    // What is above a row without a page belongs to none either.
    if (page === undefined ? given.has(row) || own.has(parent) : pages.has(page)) own.add(row)
  }
  return tree.trace.ids.filter((_, row) => own.has(row))
}

function parentsFirst({ ids, parents }: SpanRows, rows: TraceTree["rows"]): number[] {
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
