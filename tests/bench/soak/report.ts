import { percentile } from "../percentile.ts"

/** What one minute of the soak showed. */
export interface SoakWindow {
  readonly seconds: number
  /** Milliseconds from when a request was due to its answer. */
  readonly posts: readonly number[]
  /** Milliseconds of each read. */
  readonly reads: readonly number[]
  /** Refusals by status. */
  readonly refused: ReadonlyMap<number, number>
  readonly queueDepth: number
  readonly cpuSeconds: number
  /** Resident memory of the server, then of each of its child processes. */
  readonly memoryMiB: readonly number[]
  /** Open file descriptors of all processes. */
  readonly handles: number
  readonly diskMiB: number
  /** Records that the store has deleted for its size, as far as it still counts them. */
  readonly expired: number
  /** Load average of the machine over a minute. */
  readonly load: number
}

export interface SoakReport {
  readonly text: string
  /** What was not flat, or lost. */
  readonly failures: readonly string[]
}

/** At least a tenth of the time, in which caches fill and code is compiled; the store fills until it deletes records. */
const WARM_UP_SHARE = 0.1
/** How much the last quarter may exceed the first. Garbage collection and merges move single minutes by less than this. */
const MEMORY_GROWTH = 1.1
/** Descriptors that come and go with the parts of the store that are being merged. */
const HANDLE_GROWTH = 1.25

const COLUMNS: readonly [name: string, width: number, cell: (window: SoakWindow) => string][] = [
  ["posts/s", 7, ({ posts, seconds }) => (posts.length / seconds).toFixed(0)],
  ["POST p50 / p95 / p99 ms", 23, ({ posts }) => percentiles(posts, [0.5, 0.95, 0.99], 1)],
  ["read p50 / p95 ms", 17, ({ reads }) => percentiles(reads, [0.5, 0.95], 0)],
  ["refused", 8, ({ refused }) => [...refused].map(([status, count]) => `${count}×${status}`).join(" ") || "0"],
  ["queue", 6, ({ queueDepth }) => String(queueDepth)],
  ["CPU", 4, ({ cpuSeconds, seconds }) => (cpuSeconds / seconds).toFixed(2)],
  ["memory MiB", 10, ({ memoryMiB }) => memoryMiB.join("+")],
  ["handles", 7, ({ handles }) => String(handles)],
  ["disk MiB", 8, ({ diskMiB }) => String(diskMiB)],
  ["expired", 10, ({ expired }) => String(expired)],
  ["load", 5, ({ load }) => load.toFixed(1)],
]
const MINUTE_WIDTH = 6

export const WINDOW_HEADER = ["minute", ...COLUMNS.map(([name, width]) => name.padStart(width))].join("  ")

export function windowLine(minute: number, window: SoakWindow): string {
  const cells = COLUMNS.map(([, width, cell]) => cell(window).padStart(width))
  return [String(minute).padStart(MINUTE_WIDTH), ...cells].join("  ")
}

function percentiles(values: readonly number[], shares: readonly number[], digits: number): string {
  return shares.map((share) => percentile(values, share).toFixed(digits)).join(" / ")
}

/** Compares the first with the last quarter of the windows after the warm-up, which ends when the store has reached its size. */
export function soakReport(
  windows: readonly SoakWindow[],
  lookUp: { readonly lookedUp: number; readonly missing: number },
): SoakReport {
  const full = windows.findIndex(({ expired }) => expired > 0)
  const warmUp = Math.max(Math.ceil(windows.length * WARM_UP_SHARE), full)
  const measured = windows.slice(warmUp)
  const quarter = Math.max(1, Math.floor(measured.length / 4))
  const first = measured.slice(0, quarter)
  const last = measured.slice(-quarter)
  const lines = [`\nmedian of the first and the last ${quarter} minutes after a warm-up of ${warmUp}`]
  const failures: string[] = []
  if (full < 0) failures.push("the store never reached its size")
  const compare = (name: string, value: (window: SoakWindow) => number, growth = Number.POSITIVE_INFINITY) => {
    const [before, after] = [first, last].map((part) => percentile(part.map(value), 0.5)) as [number, number]
    lines.push(`  ${name}: ${before.toFixed(1)}, ${after.toFixed(1)} (${(after / before).toFixed(2)})`)
    if (after > before * growth) failures.push(`${name} grew from ${before.toFixed(1)} to ${after.toFixed(1)}`)
  }
  compare("POST p50 ms", ({ posts }) => percentile(posts, 0.5))
  compare("POST p95 ms", ({ posts }) => percentile(posts, 0.95))
  compare("read p50 ms", ({ reads }) => percentile(reads, 0.5))
  compare("read p95 ms", ({ reads }) => percentile(reads, 0.95))
  compare(
    "memory of all processes, MiB",
    ({ memoryMiB }) => memoryMiB.reduce((sum, one) => sum + one, 0),
    MEMORY_GROWTH,
  )
  compare("memory of the server, MiB", ({ memoryMiB }) => memoryMiB[0] ?? Number.NaN)
  compare("open handles", ({ handles }) => handles, HANDLE_GROWTH)
  compare("disk, MiB", ({ diskMiB }) => diskMiB)
  const posts = windows.reduce((sum, window) => sum + window.posts.length, 0)
  const refused = windows.reduce((sum, window) => sum + [...window.refused.values()].reduce((a, b) => a + b, 0), 0)
  lines.push(
    `  requests ${posts}, refused ${refused}; of ${lookUp.lookedUp} traces looked up, missing ${lookUp.missing}`,
  )
  if (refused > 0) failures.push(`${refused} requests were refused`)
  if (lookUp.missing > 0) failures.push(`${lookUp.missing} traces are not stored whole`)
  lines.push(failures.length === 0 ? "flat" : `not flat: ${failures.join("; ")}`)
  return { text: lines.join("\n"), failures }
}
