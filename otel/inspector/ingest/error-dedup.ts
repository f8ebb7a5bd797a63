import type { ErrorEvent } from "../../protocol/records/error.ts"
import { recordId } from "../../protocol/records/ids.ts"
import type { SpanSource } from "../../protocol/records/span.ts"

/** Exceptions that are remembered; the oldest is forgotten past this many. */
const REMEMBERED = 10_000

/** Ids of the events by which each protocol told an exception. */
type Tellings = Record<SpanSource, Set<string>>

/**
 * An app that is traced for Sentry and for a collector alike tells an exception twice: as an event of Sentry's and on its
 * span. On one span, exceptions of the same type and value are one error from two sources; the one that comes first
 * stays. Where one protocol tells more of them than the other, there were so many.
 */
export class ErrorDedup {
  readonly #told = new Map<string, Tellings>()

  /** Those that no other protocol has told, which are remembered now. */
  first(errors: readonly ErrorEvent[]): readonly ErrorEvent[] {
    return errors.filter((error) => {
      const key = keyOf(error)
      if (key === undefined) return true
      const told = this.#told.get(key) ?? this.#remember(key)
      const others = told[error.source === "otlp" ? "sentry" : "otlp"]
      // What is delivered again is the store's to know by its id.
      const isAgain = told[error.source].has(error.eventId)
      return isAgain || told[error.source].add(error.eventId).size > others.size
    })
  }

  /** They were not taken after all. */
  forget(errors: readonly ErrorEvent[]): void {
    for (const error of errors) this.#told.get(keyOf(error) ?? "")?.[error.source].delete(error.eventId)
  }

  #remember(key: string): Tellings {
    const [oldest] = this.#told.keys()
    if (this.#told.size >= REMEMBERED && oldest !== undefined) this.#told.delete(oldest)
    const told = { otlp: new Set<string>(), sentry: new Set<string>() }
    this.#told.set(key, told)
    return told
  }
}

function keyOf({ traceId, spanId, type, value }: ErrorEvent): string | undefined {
  return traceId === undefined || spanId === undefined ? undefined : recordId(traceId, spanId, type, value)
}
