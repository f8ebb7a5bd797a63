import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"

/** The request header that carries the query id from the HTTP server to the screen that answers the request. */
export const QUERY_HEADER = "x-pagespan-query"

/**
 * The running queries of screens, by id. A query is cancelled when its client disconnects, or by
 * `DELETE /api/queries/{id}`: a browser that navigates away does not always abort its previous request.
 */
export class ActiveQueries {
  readonly #controllers = new Map<string, AbortController>()

  /** Registers a query that lasts until the response is sent. Returns its id. */
  begin(response: ServerResponse): string {
    const id = randomUUID()
    const controller = new AbortController()
    this.#controllers.set(id, controller)
    response.once("close", () => {
      this.#controllers.delete(id)
      if (!response.writableFinished) controller.abort()
    })
    return id
  }

  /** Aborts when the query is cancelled; `undefined` once the query has ended. */
  signalOf(id: string | null): AbortSignal | undefined {
    return id === null ? undefined : this.#controllers.get(id)?.signal
  }

  /** Returns false when no query with the id is running. */
  cancel(id: string): boolean {
    const controller = this.#controllers.get(id)
    controller?.abort()
    return controller !== undefined
  }
}
