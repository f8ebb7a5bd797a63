/** Most ancestors to visit. */
const DEPTH_LIMIT = 64

/** The span and its ancestors, nearest first. */
export function spanPath(
  table: { readonly parent: ArrayLike<number>; spanId(row: number): string },
  row: number,
): string[] {
  const path: string[] = []
  for (let at = row; at >= 0 && path.length < DEPTH_LIMIT; at = table.parent[at] ?? -1) path.push(table.spanId(at))
  return path
}

/**
 * The transaction event that contained a span: its root is the nearest one on the span's path. Of several, the latest.
 *
 * @param path span ids, nearest first.
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
