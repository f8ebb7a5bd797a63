/** Spans that a span is looked for in, upwards. */
const DEPTH_LIMIT = 64

/** The span and those that it ran in, the nearest first. */
export function spanPath(
  table: { readonly parent: ArrayLike<number>; spanId(row: number): string },
  row: number,
): string[] {
  const path: string[] = []
  for (let at = row; at >= 0 && path.length < DEPTH_LIMIT; at = table.parent[at] ?? -1) path.push(table.spanId(at))
  return path
}

/**
 * The transaction event that brought a span: the latest of those whose root is the nearest of the span and what it ran in.
 *
 * @param path span ids, the nearest first.
 * @param events transaction events by time.
 */
export function eventOfSpan<Event extends { readonly spanId: string | null }>(
  path: readonly string[],
  events: readonly Event[],
): Event | undefined {
  const byRoot = new Map(events.map((event) => [event.spanId, event]))
  const root = path.find((spanId) => byRoot.has(spanId))
  return root === undefined ? undefined : byRoot.get(root)
}
