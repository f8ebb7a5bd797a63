import type { ErrorEvent } from "../../protocol/records/error.ts"
import { typeInStack } from "../../protocol/records/exception-type.ts"
import { recordId } from "../../protocol/records/ids.ts"
import type { SpanSource } from "../../protocol/records/span.ts"

/** Event ids that `ErrorDedup` remembers. Past this many it forgets the oldest exceptions: about 2 MB. */
const EVENT_ID_LIMIT = 10_000

/** Ids of the events by which each protocol reported an exception, and which of them no accepted batch has held yet. */
type EventIds = Record<SpanSource | "unaccepted", Set<string>>

/**
 * An app that exports to Sentry and over OTLP reports an exception twice: as a Sentry event, and as a span event. On one
 * span, exceptions of equal class and value are one error from two sources, and the first to arrive is stored. When one
 * protocol reports more of them than the other, that number is right.
 */
export class ErrorDedup {
  readonly #reported = new Map<string, EventIds>()
  #idCount = 0

  /** The errors that the other protocol has not reported. */
  first(errors: readonly ErrorEvent[]): readonly ErrorEvent[] {
    return errors.filter((error) => {
      const key = keyOf(error)
      if (key === undefined) return true
      if (this.#idCount >= EVENT_ID_LIMIT) this.#forgetOldest()
      const reported = this.#reported.get(key) ?? this.#add(key)
      const ids = reported[error.source]
      // A retry: the store deduplicates it by its id.
      if (ids.has(error.eventId)) return true
      reported.unaccepted.add(error.eventId)
      this.#idCount += 1
      return ids.add(error.eventId).size > reported[error.source === "otlp" ? "sentry" : "otlp"].size
    })
  }

  /** Remembers errors whose batch was accepted, whatever happens to a later copy. */
  accepted(errors: readonly ErrorEvent[]): void {
    for (const error of errors) {
      const key = keyOf(error)
      if (key === undefined) continue
      const reported = this.#reported.get(key) ?? this.#add(key)
      reported.unaccepted.delete(error.eventId)
      const ids = reported[error.source]
      // A copy that was refused meanwhile has removed it.
      if (!ids.has(error.eventId)) this.#idCount += 1
      ids.add(error.eventId)
    }
  }

  /** Forgets errors whose batch was refused, except those that an accepted batch has held. */
  forget(errors: readonly ErrorEvent[]): void {
    for (const error of errors) {
      const key = keyOf(error) ?? ""
      const reported = this.#reported.get(key)
      if (reported?.unaccepted.delete(error.eventId) !== true) continue
      reported[error.source].delete(error.eventId)
      this.#idCount -= 1
      if (reported.otlp.size + reported.sentry.size === 0) this.#reported.delete(key)
    }
  }

  #add(key: string): EventIds {
    const reported = { otlp: new Set<string>(), sentry: new Set<string>(), unaccepted: new Set<string>() }
    this.#reported.set(key, reported)
    return reported
  }

  #forgetOldest(): void {
    const [oldest] = this.#reported
    if (oldest === undefined) return
    const [key, { otlp, sentry }] = oldest
    this.#reported.delete(key)
    this.#idCount -= otlp.size + sentry.size
  }
}

function keyOf(error: ErrorEvent): string | undefined {
  const { traceId, spanId, value } = error
  return traceId === undefined || spanId === undefined ? undefined : recordId(traceId, spanId, classOf(error), value)
}

/** Codes of Node, databases and operating systems are capitals and digits, such as `ECONNREFUSED` and `23505`; classes are not. */
const CODE = /^[A-Z\d_]+$/

/** The type as Sentry names it: the SDK of OpenTelemetry for JavaScript writes an error's `code` in its place, if it has one. */
function classOf({ type, value, exceptions }: ErrorEvent): string {
  return CODE.test(type) ? (typeInStack(exceptions[0]?.stackText ?? "", value) ?? type) : type
}
