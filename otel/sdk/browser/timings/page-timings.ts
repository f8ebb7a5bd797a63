import type { Tracer } from "@opentelemetry/api"
import { isOwnScript } from "../delivery/own-scripts.ts"
import { documentTiming } from "../pageload.ts"
import { ResponseEnds } from "../requests/response-ends.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { PageRoot } from "../roots/page-root.ts"
import { recordDocumentPhases } from "./document-phases.ts"
import { recordResource } from "./resource-spans.ts"
import { watchTimings } from "./watch-timings.ts"

/** Adds children to a root that has its end, but is not closed. */
export type Recorder = (root: PageRoot, endedAt: number) => void

/** What the browser timed by itself, as children of the root in which it happened. */
export class PageTimings {
  readonly #tracer: Tracer
  readonly #current: CurrentRoot
  readonly #queryParameters: readonly string[]
  readonly #recorders: Recorder[] = []
  #ends: ResponseEnds | undefined

  /** @param queryParameters names of those that addresses may tell. */
  constructor(tracer: Tracer, current: CurrentRoot, queryParameters: readonly string[]) {
    this.#tracer = tracer
    this.#queryParameters = queryParameters
    this.#current = current
  }

  /** Answers whether the browser times resources. */
  watch(signal: AbortSignal): boolean {
    return watchTimings("resource", (entry) => this.#takeResource(entry as PerformanceResourceTiming), signal)
  }

  /** Has one more asked at the end of each root. */
  add(recorder: Recorder): void {
    this.#recorders.push(recorder)
  }

  /** @param areTimed whether the browser times resources. */
  endsOfResponses(areTimed: boolean): ResponseEnds {
    return (this.#ends ??= new ResponseEnds(areTimed))
  }

  /** Adds what is known only now that the root has its end. */
  record(root: PageRoot, endedAt: number): void {
    for (const recorder of this.#recorders) recorder(root, endedAt)
    const timing = documentTiming()
    if (root.kind === "pageload" && timing !== undefined)
      recordDocumentPhases(this.#tracer, this.#current, timing, endedAt)
  }

  #takeResource(entry: PerformanceResourceTiming): void {
    if (entry.initiatorType === "fetch") this.#ends?.take(entry)
    else if (!isOwnScript(entry)) recordResource(this.#tracer, this.#current, entry, this.#queryParameters)
  }
}
