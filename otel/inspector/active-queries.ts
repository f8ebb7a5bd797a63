import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"

/** The request header by which a screen finds the reading that was begun for its request. */
export const QUERY_HEADER = "x-pagespan-reading"

/**
 * What screens are asking the store, so that it ends when nobody waits for it: when the client breaks off, or says so by
 * the reading's id, since a page that goes on to another address does not always break off what it asked before.
 */
export class ActiveQueries {
  readonly #open = new Map<string, AbortController>()

  /** Begins one that lasts as long as the answer is being made. */
  begin(response: ServerResponse): string {
    const id = randomUUID()
    const reading = new AbortController()
    this.#open.set(id, reading)
    response.once("close", () => {
      this.#open.delete(id)
      if (!response.writableFinished) reading.abort()
    })
    return id
  }

  /** Aborts when nobody waits any more; `undefined` for one that has ended. */
  signalOf(id: string | null): AbortSignal | undefined {
    return id === null ? undefined : this.#open.get(id)?.signal
  }

  /** False where it has ended by itself. */
  stop(id: string): boolean {
    const reading = this.#open.get(id)
    reading?.abort()
    return reading !== undefined
  }
}
