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
    // The browser takes the time of a request a moment after `fetch` was called.
    const index = this.#awaited.findIndex(({ url, startedAt: asked }) => url === entry.name && asked <= startedAt + 1)
    const [ended] = index === -1 ? [] : this.#awaited.splice(index, 1)
    ended?.onEnd(epochTime(entry.responseEnd))
  }
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url
}
