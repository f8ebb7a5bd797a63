import type { ErrorEvent } from "../../protocol/records/error.ts"
import { recordId } from "../../protocol/records/ids.ts"
import type { SpanSource } from "../../protocol/records/span.ts"

/** Exceptions in memory. The oldest is evicted past this many. */
const EXCEPTION_LIMIT = 10_000

/** Ids of the events by which each protocol reported an exception. */
type EventIds = Record<SpanSource, Set<string>>

/**
 * An app that exports to Sentry and over OTLP reports an exception twice: as a Sentry event, and as a span event. On one
 * span, exceptions of equal type and value are one error from two sources, and the first to arrive is stored. When one
 * protocol reports more of them than the other, that number is right.
 */
export class ErrorDedup {
  readonly #reported = new Map<string, EventIds>()

  /** The errors that the other protocol has not reported. */
  first(errors: readonly ErrorEvent[]): readonly ErrorEvent[] {
    return errors.filter((error) => {
      const key = keyOf(error)
      if (key === undefined) return true
      const reported = this.#reported.get(key) ?? this.#add(key)
      const others = reported[error.source === "otlp" ? "sentry" : "otlp"]
      // A retry: the store deduplicates it by its id.
      const isAgain = reported[error.source].has(error.eventId)
      return isAgain || reported[error.source].add(error.eventId).size > others.size
    })
  }

  /** Forgets errors whose batch was refused. */
  forget(errors: readonly ErrorEvent[]): void {
    for (const error of errors) this.#reported.get(keyOf(error) ?? "")?.[error.source].delete(error.eventId)
  }

  #add(key: string): EventIds {
    const [oldest] = this.#reported.keys()
    if (this.#reported.size >= EXCEPTION_LIMIT && oldest !== undefined) this.#reported.delete(oldest)
    const reported = { otlp: new Set<string>(), sentry: new Set<string>() }
    this.#reported.set(key, reported)
    return reported
  }
}

function keyOf({ traceId, spanId, type, value }: ErrorEvent): string | undefined {
  return traceId === undefined || spanId === undefined ? undefined : recordId(traceId, spanId, type, value)
}
