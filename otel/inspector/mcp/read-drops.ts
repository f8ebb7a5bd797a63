import type { AgentReader } from "./agent-reader.ts"
import type { Answer } from "./answer.ts"
import { boundedText, oneLine } from "./bounded-text.ts"

const LOOKED_AT = 1_000

interface Sum {
  readonly stage: string
  readonly reason: string
  readonly category: string
  count: number
  /** Of the newest. */
  readonly sample: string
}

/** What did not arrive, added up by where, why and what, the most first. */
export async function readDrops(reader: AgentReader): Promise<Answer> {
  const sums = new Map<string, Sum>()
  for (const { stage, reason, category, count, sample } of await reader.readDrops(LOOKED_AT)) {
    const key = `${stage} ${reason} ${category}`
    const sum = sums.get(key) ?? { stage, reason, category, count: 0, sample: oneLine(sample) }
    sum.count += count
    sums.set(key, sum)
  }
  const drops = [...sums.values()].sort((a, b) => b.count - a.count)
  const lines = drops.map(
    ({ stage, reason, category, count, sample }) =>
      `${count} × ${category} lost at ${stage}: ${reason}${sample ? `, like ${sample}` : ""}`,
  )
  return { text: boundedText([drops.length === 0 ? "Nothing was lost." : "Lost:", ...lines]), structured: { drops } }
}
