import type {
  Attributes,
  AttributeValue,
  Exception,
  HrTime,
  Link,
  Span,
  SpanContext,
  SpanKind,
  SpanOptions,
  SpanStatus,
  TimeInput,
} from "@opentelemetry/api"
import type { ReadableSpan, TimedEvent } from "@opentelemetry/sdk-trace-base"
import { KIND_INTERNAL, STATUS_ERROR, STATUS_OK, STATUS_UNSET } from "../api/contexts.ts"
import { currentOrigin } from "../clock.ts"

/**
 * The limits of OpenTelemetry's SDK: attributes, events and links of a span, and attributes of each event and link.
 *
 * @see https://opentelemetry.io/docs/specs/otel/trace/sdk/#span-limits
 */
const SPAN_LIMIT = 128

const NANOS_PER_SECOND = 1e9

/** What a span does not learn from the caller of `startSpan`. */
export interface SpanOrigin {
  readonly context: SpanContext
  readonly parent: SpanContext | undefined
  readonly resource: ReadableSpan["resource"]
  readonly scope: ReadableSpan["instrumentationScope"]
  onEnd(span: RecordedSpan): void
}

/**
 * A span that is recorded before OpenTelemetry's SDK is loaded. It says what a span of the SDK says after the same calls, by the
 * same rules for times, attributes, limits and status; it only logs none of the SDK's warnings.
 */
export class RecordedSpan implements Span, ReadableSpan {
  name: string
  status: SpanStatus = { code: STATUS_UNSET }
  endTime: HrTime = [0, 0]
  duration: HrTime = [-1, -1]
  ended = false
  droppedAttributesCount = 0
  droppedEventsCount = 0
  droppedLinksCount = 0
  readonly attributes: Attributes = {}
  readonly events: TimedEvent[] = []
  readonly links: Link[] = []
  readonly kind: SpanKind
  readonly startTime: HrTime
  readonly resource: ReadableSpan["resource"]
  readonly instrumentationScope: ReadableSpan["instrumentationScope"]
  readonly parentSpanContext?: SpanContext
  readonly #origin: SpanOrigin
  /** By the page's clock, and by the system's in milliseconds since the epoch. */
  readonly #startedAt = performance.now()
  readonly #systemStart = Date.now()
  readonly #hasStartTime: boolean
  #attributeCount = 0

  constructor(name: string, { attributes, kind, links, startTime }: SpanOptions, origin: SpanOrigin) {
    this.#origin = origin
    this.name = name
    this.kind = kind ?? KIND_INTERNAL
    if (origin.parent !== undefined) this.parentSpanContext = origin.parent
    this.resource = origin.resource
    this.instrumentationScope = origin.scope
    this.addLinks(links ?? [])
    this.#hasStartTime = startTime !== undefined && startTime !== null
    this.startTime = this.#timeOf(startTime ?? this.#systemStart)
    this.setAttributes(attributes ?? {})
  }

  spanContext(): SpanContext {
    return this.#origin.context
  }

  isRecording(): boolean {
    return !this.ended
  }

  setAttribute(key: string, value: unknown): this {
    if (this.ended || value === undefined || value === null || key.length === 0 || !isAttributeValue(value)) return this
    const isKnown = Object.hasOwn(this.attributes, key)
    if (!isKnown && this.#attributeCount === SPAN_LIMIT) this.droppedAttributesCount++
    else {
      if (!isKnown) this.#attributeCount++
      this.attributes[key] = copyOf(value)
    }
    return this
  }

  setAttributes(attributes: Attributes): this {
    for (const key in attributes) if (Object.hasOwn(attributes, key)) this.setAttribute(key, attributes[key])
    return this
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    if (this.ended) return this
    const isTime = isTimeInput(attributesOrTime)
    const at = isTime && !isTimeInput(time) ? attributesOrTime : time
    const event = { name, ...limited(isTime ? undefined : attributesOrTime), time: this.#timeOf(at) }
    this.droppedEventsCount += addTo(this.events, event)
    return this
  }

  addLink({ context, attributes: given }: Link): this {
    if (this.ended) return this
    const { attributes, droppedAttributesCount } = limited(given)
    const hasAny = Object.keys(attributes).length > 0
    const link = {
      context,
      ...(hasAny && { attributes }),
      ...(droppedAttributesCount > 0 && { droppedAttributesCount }),
    }
    this.droppedLinksCount += addTo(this.links, link)
    return this
  }

  addLinks(links: readonly Link[]): this {
    for (const link of links) this.addLink(link)
    return this
  }

  setStatus({ code, message }: SpanStatus): this {
    if (this.ended || code === STATUS_UNSET || this.status.code === STATUS_OK) return this
    const hasMessage = code === STATUS_ERROR && typeof message === "string"
    this.status = { code, ...(hasMessage && { message }) }
    return this
  }

  updateName(name: string): this {
    if (!this.ended) this.name = name
    return this
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const thrown = typeof exception === "string" ? { message: exception } : exception
    const { code, name, message, stack } = (thrown ?? {}) as Exclude<Exception, string>
    const type = code ? code.toString() : name
    if (!type && !message) return
    const attributes = {
      ...(type && { "exception.type": type }),
      ...(message && { "exception.message": message }),
      ...(stack && { "exception.stacktrace": stack }),
    }
    this.addEvent("exception", attributes, time)
  }

  end(time?: TimeInput): void {
    if (this.ended) return
    this.endTime = this.#timeOf(time)
    const [seconds, nanos] = [this.endTime[0] - this.startTime[0], this.endTime[1] - this.startTime[1]]
    this.duration = nanos < 0 ? [seconds - 1, nanos + NANOS_PER_SECOND] : [seconds, nanos]
    if (this.duration[0] < 0) {
      this.endTime = [...this.startTime]
      this.duration = [0, 0]
    }
    this.ended = true
    this.#origin.onEnd(this)
  }

  /** A number is a time on the page's timeline if it can be one, and else in milliseconds since the epoch. */
  #timeOf(given: TimeInput | undefined): HrTime {
    if (typeof given === "number") {
      const isOnTimeline = given <= performance.now()
      const origin = currentOrigin()
      const correction = this.#systemStart - (origin + this.#startedAt)
      return isOnTimeline ? sum(toHrTime(origin), toHrTime(given + correction)) : toHrTime(given)
    }
    if (given instanceof Date) return toHrTime(given.getTime())
    if (isHrTime(given)) return given
    // The page's clock may differ from the one that gave the start.
    if (this.#hasStartTime) return toHrTime(Date.now())
    return sum(this.startTime, toHrTime(performance.now() - this.#startedAt))
  }
}

function toHrTime(ms: number): HrTime {
  return [Math.trunc(ms / 1e3), Math.round((ms % 1e3) * 1e6)]
}

function sum(a: HrTime, b: HrTime): HrTime {
  const [seconds, nanos] = [a[0] + b[0], a[1] + b[1]]
  return nanos < NANOS_PER_SECOND ? [seconds, nanos] : [seconds + 1, nanos - NANOS_PER_SECOND]
}

function isTimeInput(value: unknown): value is TimeInput {
  return typeof value === "number" || value instanceof Date || isHrTime(value)
}

function isHrTime(value: unknown): value is HrTime {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === "number")
}

/** The attributes of an event or a link. */
function limited(given: Attributes | undefined) {
  const attributes: Attributes = {}
  const known = typeof given === "object" ? Object.entries(given ?? {}) : []
  const valid = known.filter(([key, value]) => key !== "" && isAttributeValue(value))
  for (const [key, value] of valid.slice(0, SPAN_LIMIT)) attributes[key] = copyOf(value)
  return { attributes, droppedAttributesCount: Math.max(0, valid.length - SPAN_LIMIT) }
}

/** A string, a number, a boolean, nothing, or an array of one of these types. */
function isAttributeValue(value: unknown): value is AttributeValue {
  if (!Array.isArray(value)) return value === undefined || value === null || isPrimitive(typeof value)
  const type = typeof value.find((each) => each !== undefined && each !== null)
  return value.every((each) => each === undefined || each === null || (typeof each === type && isPrimitive(type)))
}

function isPrimitive(type: string): boolean {
  return type === "string" || type === "number" || type === "boolean"
}

/** The app may change an array later. */
function copyOf<V>(value: V): V {
  return Array.isArray(value) ? (value.slice() as V) : value
}

/** Adds to a list. @returns how many of the oldest were dropped for it. */
function addTo<T>(list: T[], item: T): number {
  list.push(item)
  return list.length > SPAN_LIMIT ? list.splice(0, 1).length : 0
}
