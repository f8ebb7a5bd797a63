import type { Pump } from "./pump-strings.ts"

/** The maximum length of a tested text, above every bound of a quantifier in the sources. */
const LONGEST = 16_384
/**
 * Small steps come first, so that exponential growth is found before a match hangs. The large steps are below `LONGER`, so
 * that work which is quadratic up to the bound of a quantifier shows it at one of them, wherever that bound is.
 */
const LENGTHS = [12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 40, 48, 64, 80, 96, 128, 256, 1_024, 4_096, LONGEST]
/**
 * The growth of a text, and the allowed growth of its cost: three times that of linear work, a fifth of that of quadratic
 * work. Per doubling, that is a factor of 2.6.
 */
const LONGER = 16
const COST_BOUND = 3 * LONGER
/** Lower costs are not compared. Quadratic work on 16,384 characters takes a hundred times as long. */
const NEGLIGIBLE_MS = 0.5
/** Work is repeated until it takes this long, which the clock measures to a few percent. */
const CLOCK_MS = 0.1
/** Other load makes a measurement longer, never shorter, so the shortest of these counts. */
const ATTEMPTS = 40
/** The same of a part of the work, in each of these attempts. */
const ATTEMPTS_OF_PART = 5

export interface Growth {
  readonly pump: Pump
  readonly length: number
  /** The cost, divided by the cost of a text with a sixteenth of the length. */
  readonly times: number
}

export type Work = (text: string) => unknown

/**
 * Replaces each word by a function. V8 itself does that in superlinear time: with Node.js 20, 8,192 words cost 120 times as
 * much as 512.
 */
export const replaceWords: Work = (text) => text.replace(/\S+/g, (word) => word)

/**
 * Measures whether the cost of work grows faster than its text.
 *
 * @param part of the work, whose own superlinear cost does not count.
 * @returns the first text with superlinear cost, `undefined` if there is none.
 */
export function superlinearGrowth(work: Work, pumps: readonly Pump[], part?: Work): Growth | undefined {
  for (const pump of pumps)
    for (const length of LENGTHS) {
      const times = growth(work, textOf(pump, length), textOf(pump, length / LONGER), part)
      if (times > COST_BOUND) return { pump, length, times }
    }
  return undefined
}

/** The cost of the long text divided by that of the short one; 0 as soon as it is known to be within the bound. */
function growth(work: Work, long: string, short: string, part?: Work): number {
  // Elapsed time is no less than the work's own, and cheaper to read.
  let costOfLong = elapsed(work, long)
  let costOfShort = Number.POSITIVE_INFINITY
  const ofPart = { long: Number.POSITIVE_INFINITY, short: Number.POSITIVE_INFINITY }
  let excess = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (costOfLong < NEGLIGIBLE_MS) return 0
    costOfShort = Math.min(costOfShort, cost(work, short, roundsOf(work, short)))
    if (costOfLong / costOfShort <= COST_BOUND) return 0
    costOfLong = Math.min(costOfLong, cost(work, long, 1))
    if (part !== undefined) {
      // In turns with the whole work, because other load changes. Only where that exceeds the bound, because it is slow.
      ofPart.long = Math.min(ofPart.long, leastCost(part, long))
      ofPart.short = Math.min(ofPart.short, leastCost(part, short))
      excess = Math.max(0, ofPart.long - LONGER * ofPart.short)
    }
    if ((costOfLong - excess) / costOfShort <= COST_BOUND) return 0
  }
  return (costOfLong - excess) / costOfShort
}

function leastCost(work: Work, text: string): number {
  const rounds = roundsOf(work, text)
  return Math.min(...Array.from({ length: ATTEMPTS_OF_PART }, () => cost(work, text, rounds)))
}

function roundsOf(work: Work, text: string): number {
  return Math.max(1, Math.ceil(CLOCK_MS / cost(work, text, 1)))
}

function textOf({ prefix, pumped, suffix }: Pump, length: number): string {
  const text = `${prefix}${pumped.repeat(Math.max(1, Math.floor(length / pumped.length)))}${suffix}`
  // V8 concatenates lazily. Flattening here keeps that cost out of the measurement.
  return Buffer.from(text, "utf16le").toString("utf16le")
}

/** Milliseconds. */
function elapsed(work: Work, text: string): number {
  const from = performance.now()
  work(text)
  return performance.now() - from
}

/** Milliseconds of CPU for one round. Unlike elapsed time, it does not count the time of other processes. */
function cost(work: Work, text: string, rounds: number): number {
  const from = process.cpuUsage()
  for (let round = 0; round < rounds; round++) work(text)
  const { user, system } = process.cpuUsage(from)
  return Math.max(1, user + system) / 1_000 / rounds
}
