import { epochTime } from "../clock.ts"

/** Answers whose end is awaited. The oldest is ended at its head past this many. */
const AWAITED_LIMIT = 256

interface Awaited {
  readonly url: string
  readonly startedAt: number
  readonly onEnd: (endedAt: number) => void
}

/**
 * When the body of an answer had arrived, from the browser's own resource timing: reading a clone of each body would
 * hold it twice and drain streams that the page reads slowly.
 */
export class ResponseEnds {
  readonly #awaited: Awaited[] = []
  readonly #isSupported: boolean

  /** @param isSupported whether `take` will be called with resource timings. */
  constructor(isSupported: boolean) {
    this.#isSupported = isSupported
  }

  /**
   * @param startedAt when `fetch` was called, @param headAt when its answer began; milliseconds since the epoch.
   * @param onEnd called once; with `headAt` where the browser tells no more.
   */
  whenEnded(url: string, startedAt: number, headAt: number, onEnd: (endedAt: number) => void): void {
    if (!this.#isSupported) return onEnd(headAt)
    this.#awaited.push({ url: withoutFragment(url), startedAt, onEnd })
    if (this.#awaited.length > AWAITED_LIMIT) this.#awaited.shift()?.onEnd(headAt)
  }

  /** A resource timing of a `fetch`. */
  take(entry: PerformanceResourceTiming): void {
    const startedAt = epochTime(entry.startTime)
    let ended: Awaited | undefined
    for (const awaited of this.#awaited) {
      // The browser takes the time of a request a moment after `fetch` was called. Of several to one address it is the last before that.
      const isCandidate = awaited.url === entry.name && awaited.startedAt <= startedAt + 1
      if (isCandidate && awaited.startedAt >= (ended?.startedAt ?? 0)) ended = awaited
    }
    if (ended === undefined) return
    this.#awaited.splice(this.#awaited.indexOf(ended), 1)
    ended.onEnd(epochTime(entry.responseEnd))
  }
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url
}
