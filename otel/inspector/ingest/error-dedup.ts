import type { ErrorEvent } from "../../protocol/records/error.ts"
import { recordId } from "../../protocol/records/ids.ts"
import type { SpanSource } from "../../protocol/records/span.ts"

/** Event ids in memory. Past this many the exceptions that were first reported longest ago are evicted. */
const ID_LIMIT = 20_000

/** Ids of the events by which each protocol reported an exception. */
type EventIds = Record<SpanSource, Set<string>>

/**
 * An app that exports to Sentry and over OTLP reports an exception twice: as a Sentry event, and as a span event. On one
 * span, exceptions of equal type and value are one error from two sources, and the first to arrive is stored. When one
 * protocol reports more of them than the other, that number is right.
 */
export class ErrorDedup {
  readonly #reported = new Map<string, EventIds>()
  #ids = 0

  /** The errors that the other protocol has not reported. */
  first(errors: readonly ErrorEvent[]): readonly ErrorEvent[] {
    return errors.filter((error) => {
      const key = keyOf(error)
      if (key === undefined) return true
      const reported = this.#reported.get(key) ?? { otlp: new Set(), sentry: new Set() }
      const own = reported[error.source]
      // A retry: the store deduplicates it by its id.
      if (own.has(error.eventId)) return true
      own.add(error.eventId)
      this.#ids++
      this.#reported.set(key, reported)
      this.#evict()
      return own.size > reported[error.source === "otlp" ? "sentry" : "otlp"].size
    })
  }

  /** Forgets errors whose batch was refused. */
  forget(errors: readonly ErrorEvent[]): void {
    for (const error of errors) {
      const key = keyOf(error) ?? ""
      const reported = this.#reported.get(key)
      if (reported?.[error.source].delete(error.eventId) !== true) continue
      this.#ids--
      if (reported.otlp.size + reported.sentry.size === 0) this.#reported.delete(key)
    }
  }

  #evict(): void {
    for (const [key, { otlp, sentry }] of this.#reported) {
      if (this.#ids <= ID_LIMIT) break
      this.#reported.delete(key)
      this.#ids -= otlp.size + sentry.size
    }
  }

  /** Event ids in memory. */
  get size(): number {
    return this.#ids
  }
}

function keyOf({ traceId, spanId, type, value }: ErrorEvent): string | undefined {
  return traceId === undefined || spanId === undefined ? undefined : recordId(traceId, spanId, type, value)
}
