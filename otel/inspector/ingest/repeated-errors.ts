import type { ErrorEvent } from "../../protocol/records/error.ts"
import { exceptionId, LAYER_LIMIT } from "../../protocol/records/exception.ts"
import type { SpanId, TraceId } from "../../protocol/records/ids.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"

/** Spans with an exception that `RepeatedErrors` remembers. Past this many it forgets the oldest traces: about 3 MB. */
const SPAN_LIMIT = 10_000

/** Where one exception of a trace was recorded. */
interface Recorded {
  /** The spans of its errors. */
  readonly on: Set<SpanId>
  /** The spans that repeat it. They do so in a request that is sent again, too. */
  readonly repeatedOn: Set<SpanId>
  /** The nearest spans above these that have not arrived. */
  awaited: Set<SpanId>
}

/**
 * A span that has the exception of a span below it makes one error with it (`errorsOfSpans`), also where an exporter sends the two
 * in different requests: the lower one ends first. The first that arrives is the error. It knows the spans between them if these
 * arrive in requests that have an exception, as the two have.
 */
export class RepeatedErrors {
  readonly #traces = new Map<TraceId, Map<string, Recorded>>()
  #spanCount = 0

  /** The errors of a request's spans, without those that an earlier request has recorded on a span above or below. */
  first(spans: readonly SpanRecord[], errors: readonly ErrorEvent[]): readonly ErrorEvent[] {
    if (!errors.some(({ traceId }) => traceId !== undefined && this.#traces.has(traceId))) return errors
    const layers = new Layers(spans.filter(({ traceId }) => this.#traces.has(traceId)))
    /** Spans above the recorded ones, as far as they are known. */
    const above = new Map<Recorded, ReadonlySet<SpanId>>()
    const first = errors.filter((error) => {
      const { traceId, spanId } = error
      const recorded = traceId && this.#traces.get(traceId)?.get(exceptionId(error))
      if (!recorded || spanId === undefined) return true
      const upper = above.get(recorded) ?? new Set([...recorded.awaited].flatMap((id) => layers.from(traceId, id)))
      above.set(recorded, upper)
      const { on, repeatedOn } = recorded
      // Sent again: the store has it once.
      if (on.has(spanId)) return true
      const [, ...layersAbove] = layers.from(traceId, spanId)
      const isBelow = layersAbove.some((id) => on.has(id) || repeatedOn.has(id))
      const isRepeated = isBelow || upper.has(spanId) || repeatedOn.has(spanId)
      if (isRepeated) this.#spanCount += addedTo(repeatedOn, spanId)
      return !isRepeated
    })
    // Also where the request is refused, which does not reach `remember`.
    this.#forgetOldest()
    return first
  }

  /** Remembers a request that was ingested. @param errors those of its spans that were. */
  remember(spans: readonly SpanRecord[], errors: readonly ErrorEvent[]): void {
    const failed = new Set(errors.map(({ traceId }) => traceId))
    const related = spans.filter(({ traceId }) => this.#traces.has(traceId) || failed.has(traceId))
    const layers = new Layers(related)
    for (const traceId of new Set(related.map((span) => span.traceId)))
      for (const recorded of this.#traces.get(traceId)?.values() ?? [])
        recorded.awaited = new Set([...recorded.awaited].flatMap((id) => layers.awaited(traceId, id)))
    for (const error of errors) this.#add(error, layers)
    this.#forgetOldest()
  }

  #forgetOldest(): void {
    for (const [traceId, exceptions] of this.#traces) {
      if (this.#spanCount <= SPAN_LIMIT) return
      this.#traces.delete(traceId)
      for (const { on, repeatedOn } of exceptions.values()) this.#spanCount -= on.size + repeatedOn.size
    }
  }

  #add(error: ErrorEvent, layers: Layers): void {
    const { traceId, spanId } = error
    if (traceId === undefined || spanId === undefined) return
    const exceptions = this.#traces.get(traceId) ?? new Map<string, Recorded>()
    const id = exceptionId(error)
    const recorded = exceptions.get(id) ?? { on: new Set(), repeatedOn: new Set(), awaited: new Set() }
    this.#spanCount += addedTo(recorded.on, spanId)
    for (const awaited of layers.awaited(traceId, spanId)) recorded.awaited.add(awaited)
    exceptions.set(id, recorded)
    this.#traces.set(traceId, exceptions)
  }
}

/** @returns 1 if the set did not have the span, else 0. */
function addedTo(spans: Set<SpanId>, spanId: SpanId): number {
  const { size } = spans
  return spans.add(spanId).size - size
}

/** Which spans of a request are above others. */
class Layers {
  readonly #parents: ReadonlyMap<string, SpanId | undefined>

  constructor(spans: readonly SpanRecord[]) {
    this.#parents = new Map(spans.map(({ traceId, spanId, parentSpanId }) => [`${traceId} ${spanId}`, parentSpanId]))
  }

  /** A span and those above it, up to one that the request does not have. */
  from(traceId: TraceId, spanId: SpanId): readonly SpanId[] {
    const path: SpanId[] = []
    let id: SpanId | undefined = spanId
    while (id !== undefined && path.length < LAYER_LIMIT) {
      path.push(id)
      id = this.#parents.get(`${traceId} ${id}`)
    }
    return path
  }

  /** The nearest span at or above this one that the request does not have. There is none in a whole trace. */
  awaited(traceId: TraceId, spanId: SpanId): readonly SpanId[] {
    const last = this.from(traceId, spanId).at(-1)
    return last === undefined || this.#parents.has(`${traceId} ${last}`) ? [] : [last]
  }
}
