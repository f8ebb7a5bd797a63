import { percentile } from "../percentile.ts"
import type { Answer } from "./connection.ts"
import type { Load } from "./loads.ts"
import type { Sent } from "./send.ts"
import type { Sustained } from "./sustained.ts"

/** The figures of one load: what is stored, and beside it what a burst gets acknowledged. */
export interface LoadFigures {
  readonly load: Load
  readonly sustained: Sustained
  readonly burst: Sent
}

/** Lines about one load, in CPU microseconds a span: on a shared machine they say more than the rate. */
export function describeLoad({ load, sustained, burst }: LoadFigures): string {
  const { sent, drainSeconds, cpu, memoryMiB } = sustained
  const each = (seconds: number) => ((seconds / sent.accepted / load.spans) * 1e6).toFixed(1)
  const all = cpu.handlers + cpu.threads + cpu.store
  return [
    `\n${load.name}`,
    `  sustained: ${sustainedRate(sustained, load)} spans/s, all of it stored ${drainSeconds.toFixed(1)} s after the last of ${sent.seconds.toFixed(0)} s`,
    `  burst of ${burst.seconds.toFixed(0)} s: ${acceptedRate(burst, load)} spans/s acknowledged, ${percentiles(burst.answers)}`,
    `  refused: ${statuses([...sent.refused, ...burst.refused])}`,
    `  CPU ${((all / sent.accepted) * 1_000).toFixed(2)} ms a request, ${each(all)} µs a span: endpoints ${each(cpu.handlers)}, other threads ${each(cpu.threads)}, store ${each(cpu.store)}; senders ${each(cpu.sender)}`,
    `  memory of all processes: ${memoryMiB[0]} MiB before, at most ${Math.max(...memoryMiB)}`,
  ].join("\n")
}

/** The headline: a row for each load. */
export function table(figures: readonly LoadFigures[]): string {
  const rows = figures.map(({ load, sustained, burst }) => [
    load.name,
    sustainedRate(sustained, load),
    acceptedRate(burst, load),
    String(Math.max(...sustained.memoryMiB)),
  ])
  const lines = [
    ["load", "sustained, spans/s", "burst, spans/s", "peak memory, MiB"],
    ["---", "---", "---", "---"],
    ...rows,
  ]
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function sustainedRate({ requestsPerSecond }: Sustained, { spans }: Load): string {
  return (requestsPerSecond * spans).toFixed(0)
}

function acceptedRate({ accepted, seconds }: Sent, { spans }: Load): string {
  return ((accepted * spans) / seconds).toFixed(0)
}

export function percentiles(answers: readonly Pick<Answer, "ms">[]): string {
  const values = answers.map(({ ms }) => ms)
  return [0.5, 0.95, 0.99].map((part) => `p${part * 100} ${percentile(values, part).toFixed(1)} ms`).join(", ")
}

export function statuses(answers: readonly Answer[]): string {
  if (answers.length === 0) return "none"
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(", ")
}
