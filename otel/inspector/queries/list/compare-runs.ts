import type { EntryStats } from "./entry-stats.ts"

/** One entry of two runs side by side. Either run may have none. */
export interface Comparison {
  readonly route: string
  readonly entry: string
  readonly a: EntryStats | undefined
  readonly b: EntryStats | undefined
  /** The median of `b` divided by the median of `a`; `undefined` where either run has no entries. */
  readonly change: number | undefined
}

/** Entries of both runs come first; within each group, those with the most total time. */
export function compareRuns(a: readonly EntryStats[], b: readonly EntryStats[]): Comparison[] {
  const ofB = new Map(b.map((stats) => [keyOf(stats), stats]))
  const fromA = a.map((stats) => compare(stats, ofB.get(keyOf(stats))))
  const known = new Set(a.map(keyOf))
  const onlyB = b.filter((stats) => !known.has(keyOf(stats))).map((stats) => compare(undefined, stats))
  return [...fromA, ...onlyB].filter((row) => row !== undefined).sort((x, y) => weight(y) - weight(x))
}

function keyOf({ route, entry }: EntryStats): string {
  return JSON.stringify([route, entry])
}

function compare(a: EntryStats | undefined, b: EntryStats | undefined): Comparison | undefined {
  const some = a ?? b
  if (some === undefined) return undefined
  const change = a && b && a.p50 > 0n ? Number(b.p50) / Number(a.p50) : undefined
  return { route: some.route, entry: some.entry, a, b, change }
}

function weight({ a, b }: Comparison): number {
  const total = [a, b].reduce((sum, stats) => sum + Number(stats?.p50 ?? 0) * (stats?.count ?? 0), 0)
  return a && b ? total + Number.MAX_SAFE_INTEGER : total
}
