import type { ErrorEvent } from "../../protocol/records/error.ts"
import { typeInStack } from "../../protocol/records/exception-type.ts"
import { recordId } from "../../protocol/records/ids.ts"

/** Event ids that `ErrorDedup` remembers. Past this many it forgets the oldest exceptions: about 2 MB. */
const EVENT_ID_LIMIT = 10_000

/** How an exception was reported: by an event of Sentry's, by an event of a span, or by a log record. */
export type Reporter = "sentry" | "span" | "log"
const REPORTERS: readonly Reporter[] = ["sentry", "span", "log"]

type ReporterOf = (error: ErrorEvent) => Reporter

/** The events that reported an exception, by their ids. */
class EventIds {
  readonly #ids: Partial<Record<Reporter, Set<string>>> = {}
  /** Those that no accepted batch has held yet. */
  readonly unaccepted = new Set<string>()
  /** Those that another reporter had reported before. They are no errors when they are sent again, either. */
  #repeated: Set<string> | undefined

  get size(): number {
    return REPORTERS.reduce((sum, reporter) => sum + this.#count(reporter), 0)
  }

  has(reporter: Reporter, id: string): boolean {
    return this.#ids[reporter]?.has(id) === true
  }

  isFirst(id: string): boolean {
    return this.#repeated?.has(id) !== true
  }

  add(reporter: Reporter, id: string): void {
    const ids = (this.#ids[reporter] ??= new Set())
    ids.add(id)
  }

  /** Adds an event, and decides whether it is an error of its own. */
  decide(reporter: Reporter, id: string): boolean {
    this.unaccepted.add(id)
    this.add(reporter, id)
    if (this.#isMost(reporter)) return true
    this.#repeated = (this.#repeated ?? new Set()).add(id)
    return false
  }

  delete(reporter: Reporter, id: string): void {
    this.#ids[reporter]?.delete(id)
    this.#repeated?.delete(id)
  }

  #count(reporter: Reporter): number {
    return this.#ids[reporter]?.size ?? 0
  }

  /** Whether the reporter has more events of the exception than each of the others. */
  #isMost(reporter: Reporter): boolean {
    const count = this.#count(reporter)
    return REPORTERS.every((other) => other === reporter || this.#count(other) < count)
  }
}

/**
 * An app may report an exception several times: one that exports to Sentry and over OTLP as a Sentry event and as a span event,
 * and one that logs it, or whose SDK writes exceptions as logs, as a log record too. On one span, exceptions of equal class and
 * value are one error by several reporters, and the first to arrive is stored. When one of them reports more than the others,
 * that number is right.
 */
export class ErrorDedup {
  readonly #reported = new Map<string, EventIds>()
  #idCount = 0

  /** The errors that no other reporter has reported. */
  first(errors: readonly ErrorEvent[], reporterOf: ReporterOf): readonly ErrorEvent[] {
    return errors.filter((error) => {
      const key = keyOf(error)
      if (key === undefined) return true
      if (this.#idCount >= EVENT_ID_LIMIT) this.#forgetOldest()
      const ids = this.#idsOf(key)
      const reporter = reporterOf(error)
      // A retry: the store deduplicates an error by its id.
      if (ids.has(reporter, error.eventId)) return ids.isFirst(error.eventId)
      this.#idCount += 1
      return ids.decide(reporter, error.eventId)
    })
  }

  /** Remembers errors whose batch was accepted, whatever happens to a later copy. */
  accepted(errors: readonly ErrorEvent[], reporterOf: ReporterOf): void {
    for (const error of errors) {
      const key = keyOf(error)
      if (key === undefined) continue
      const ids = this.#idsOf(key)
      ids.unaccepted.delete(error.eventId)
      const reporter = reporterOf(error)
      // A copy that was refused meanwhile has removed it.
      if (!ids.has(reporter, error.eventId)) this.#idCount += 1
      ids.add(reporter, error.eventId)
    }
  }

  /** Forgets errors whose batch was refused, except those that an accepted batch has held. */
  forget(errors: readonly ErrorEvent[], reporterOf: ReporterOf): void {
    for (const error of errors) {
      const key = keyOf(error) ?? ""
      const ids = this.#reported.get(key)
      if (ids?.unaccepted.delete(error.eventId) !== true) continue
      ids.delete(reporterOf(error), error.eventId)
      this.#idCount -= 1
      if (ids.size === 0) this.#reported.delete(key)
    }
  }

  #idsOf(key: string): EventIds {
    const known = this.#reported.get(key)
    if (known !== undefined) return known
    const ids = new EventIds()
    this.#reported.set(key, ids)
    return ids
  }

  #forgetOldest(): void {
    const [oldest] = this.#reported
    if (oldest === undefined) return
    const [key, ids] = oldest
    this.#reported.delete(key)
    this.#idCount -= ids.size
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
