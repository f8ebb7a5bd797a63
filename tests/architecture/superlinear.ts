import type { Pump } from "./pump-strings.ts"

/** Growth is looked for up to this length: some way past every bound that a quantifier here has. */
const LONGEST = 16_384
/** In small steps first: an expression that doubles its work with each character must be seen before it is lost in it. */
const LENGTHS = [12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, LONGEST]
/**
 * A text that is so many times longer may cost so many times more: thrice what linear work does, a fifth of what quadratic
 * work does. For each doubling that is 2.6.
 */
const LONGER = 16
const COST_BOUND = 3 * LONGER
/** Below it nothing is compared. Quadratic work on 16,384 characters takes a hundred times as long. */
const NEGLIGIBLE_MS = 0.5
/** Work is repeated until it takes so long, which the clock tells to a hundredth. */
const CLOCK_MS = 0.05
/** A machine that others use makes a measurement longer, never shorter: each text's shortest one counts. */
const ATTEMPTS = 12

export interface Growth {
  readonly pump: Pump
  readonly length: number
  /** How many times more it costs than a text of a sixteenth of that length. */
  readonly times: number
}

/**
 * Whether some work grows faster than its text.
 *
 * @returns the first text on which it does, `undefined` where it is linear on all.
 */
export function superlinearGrowth(work: (text: string) => unknown, pumps: readonly Pump[]): Growth | undefined {
  for (const pump of pumps)
    for (const length of LENGTHS) {
      const times = growth(work, textOf(pump, length), textOf(pump, length / LONGER))
      if (times > COST_BOUND) return { pump, length, times }
    }
  return undefined
}

/** How many times more the long text costs, 0 as soon as that is known to be within the bound. */
function growth(work: (text: string) => unknown, long: string, short: string): number {
  let costOfLong = elapsed(work, long, 1)
  let costOfShort = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (costOfLong < NEGLIGIBLE_MS) return 0
    const rounds = Math.max(1, Math.ceil(CLOCK_MS / elapsed(work, short, 1)))
    costOfShort = Math.min(costOfShort, elapsed(work, short, rounds))
    if (costOfLong / costOfShort <= COST_BOUND) return 0
    costOfLong = Math.min(costOfLong, elapsed(work, long, 1))
  }
  return costOfLong / costOfShort
}

function textOf({ prefix, pumped, suffix }: Pump, length: number): string {
  const text = `${prefix}${pumped.repeat(Math.max(1, Math.floor(length / pumped.length)))}${suffix}`
  // Not a rope: whoever reads it first would pay for making it one piece.
  return Buffer.from(text, "utf16le").toString("utf16le")
}

function elapsed(work: (text: string) => unknown, text: string, rounds: number): number {
  const from = performance.now()
  for (let round = 0; round < rounds; round++) work(text)
  return (performance.now() - from) / rounds
}
