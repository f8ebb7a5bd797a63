/** Responses whose end is awaited, at most. Past it the oldest ends at its head. */
const AWAITED_LIMIT = 256

interface Awaited {
  readonly url: string
  readonly startedAt: number
  readonly headAt: number
  readonly onEnd: (endedAt: number) => void
}

/**
 * Finds when the body of a response ended, from the browser's resource timing. Reading a clone of the body instead would
 * hold it in memory twice, and drain a stream that the page reads slowly.
 */
export class ResponseEnds {
  /** Whether the browser reports resource timings. */
  isSupported = false
  readonly #awaited: Awaited[] = []

  /**
   * @param startedAt when `fetch` was called, on the page's timeline as all times here.
   * @param headAt when the head of the response arrived.
   * @param onEnd called once; with `headAt` where the browser reports no end.
   */
  whenEnded(url: string, startedAt: number, headAt: number, onEnd: (endedAt: number) => void): void {
    // A resource timing names the URL without its fragment.
    this.#awaited.push({ url: url.replace(/#.*/, ""), startedAt, headAt, onEnd })
    if (this.isSupported && this.#awaited.length <= AWAITED_LIMIT) return
    const oldest = this.#awaited.shift()
    oldest?.onEnd(oldest.headAt)
  }

  /** @param entry of a `fetch`. */
  onResource(entry: PerformanceResourceTiming): void {
    let ended: Awaited | undefined
    for (const awaited of this.#awaited) {
      // The browser notes the start a moment after the call of `fetch`. Of several calls for one URL the last before it matches.
      const isCandidate = awaited.url === entry.name && awaited.startedAt <= entry.startTime + 1
      if (isCandidate && awaited.startedAt >= (ended?.startedAt ?? 0)) ended = awaited
    }
    if (ended === undefined) return
    this.#awaited.splice(this.#awaited.indexOf(ended), 1)
    ended.onEnd(entry.responseEnd)
  }
}
