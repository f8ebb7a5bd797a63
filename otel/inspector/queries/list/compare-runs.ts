import type { EntryStats } from "./entry-stats.ts"

/** The same entries of two runs side by side. One of them may have had none. */
export interface Comparison {
  readonly route: string
  readonly entry: string
  readonly a: EntryStats | undefined
  readonly b: EntryStats | undefined
  /** How many times as long the median of `b` is; `undefined` where one of them has none. */
  readonly change: number | undefined
}

/** Those that both have come first, and of those what took the most time. */
export function compareRuns(a: readonly EntryStats[], b: readonly EntryStats[]): Comparison[] {
  const ofB = new Map(b.map((stats) => [keyOf(stats), stats]))
  const both = a.map((stats) => compared(stats, ofB.get(keyOf(stats))))
  const known = new Set(a.map(keyOf))
  const onlyB = b.filter((stats) => !known.has(keyOf(stats))).map((stats) => compared(undefined, stats))
  return [...both, ...onlyB].filter((row) => row !== undefined).sort((x, y) => weight(y) - weight(x))
}

function keyOf({ route, entry }: EntryStats): string {
  return JSON.stringify([route, entry])
}

function compared(a: EntryStats | undefined, b: EntryStats | undefined): Comparison | undefined {
  const some = a ?? b
  if (some === undefined) return undefined
  const change = a && b && a.p50 > 0n ? Number(b.p50) / Number(a.p50) : undefined
  return { route: some.route, entry: some.entry, a, b, change }
}

function weight({ a, b }: Comparison): number {
  const total = [a, b].reduce((sum, stats) => sum + Number(stats?.p50 ?? 0) * (stats?.count ?? 0), 0)
  return a && b ? total + Number.MAX_SAFE_INTEGER : total
}
