import type { Attributes, AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { RecordBatch } from "#otel/protocol/records/batch.ts"
import type { ItemRecord } from "#otel/protocol/records/envelope-item.ts"
import { ERROR_LEVELS, type ErrorEvent, type StackFrame } from "#otel/protocol/records/error.ts"
import type { SpanId, TraceId } from "#otel/protocol/records/ids.ts"
import type { LogRecord } from "#otel/protocol/records/log.ts"
import {
  type InstrumentationScope,
  type Resource,
  SPAN_KINDS,
  SPAN_SOURCES,
  type SpanRecord,
  STATUS_CODES,
} from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import type { Random } from "#tests/protocol/otlp/random.ts"

const LETTERS = ["a", "b", "service.name", "日本語", "é", "\u0000", "\ud83d\ude00", "x".repeat(80), "0123456789abcdef"]

/** Records of all kinds, with all values that their types allow. */
export function randomBatch(random: Random): RecordBatch {
  const resources = [resource(random), resource(random)]
  const scopes = [scope(random)]
  return {
    spans: random.list(4, () => span(random, random.pick(resources), random.pick(scopes))),
    errors: random.list(2, () => error(random)),
    logs: random.list(2, () => log(random, random.pick(resources), random.pick(scopes))),
    items: random.list(2, () => item(random)),
  }
}

const text = (random: Random) => random.list(4, () => random.pick(LETTERS)).join("")
const texts = (random: Random) => random.list(3, () => text(random))
const hex = (random: Random, digits: number) =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join("")
const maybe = <Value>(random: Random, value: Value) => (random.chance(0.5) ? value : undefined)
const time = (random: Random) => nanoseconds(BigInt(random.below(2 ** 31)) * 4_000_000_001n)
const whole = (random: Random) => random.below(random.pick([3, 2 ** 32]))
const bytes = (random: Random) => Uint8Array.from(random.list(40, () => random.below(256)))
const traceId = (random: Random) => hex(random, 32) as TraceId
const spanId = (random: Random) => hex(random, 16) as SpanId

function attributes(random: Random, depth = 0): Attributes {
  return new Map(random.list(4, () => [text(random), value(random, depth)] as const))
}

function value(random: Random, depth: number): AttributeValue {
  const plain = [null, true, false, text(random), random.next() * 10 ** random.below(300), -0, -5n, 2n ** 70n]
  if (depth > 2 || random.chance(0.6)) return random.pick([...plain, bytes(random)])
  return random.chance(0.5) ? random.list(3, () => value(random, depth + 1)) : attributes(random, depth + 1)
}

function resource(random: Random): Resource {
  return { attributes: attributes(random), schemaUrl: text(random) }
}

function scope(random: Random): InstrumentationScope {
  return { name: text(random), version: text(random), attributes: attributes(random) }
}

function span(random: Random, of: Resource, by: InstrumentationScope): SpanRecord {
  return {
    traceId: traceId(random),
    spanId: spanId(random),
    parentSpanId: maybe(random, spanId(random)),
    traceState: text(random),
    flags: whole(random),
    name: text(random),
    kind: random.pick(SPAN_KINDS),
    startTime: time(random),
    endTime: time(random),
    status: { code: random.pick(STATUS_CODES), message: text(random) },
    attributes: attributes(random),
    events: random.list(2, () => ({ time: time(random), name: text(random), attributes: attributes(random) })),
    links: random.list(2, () => ({
      traceId: traceId(random),
      spanId: spanId(random),
      traceState: text(random),
      attributes: attributes(random),
    })),
    dropped: { attributes: whole(random), events: whole(random), links: whole(random) },
    resource: of,
    scope: by,
    source: random.pick(SPAN_SOURCES),
  }
}

function error(random: Random): ErrorEvent {
  return {
    eventId: hex(random, 32),
    issueId: hex(random, 32),
    time: time(random),
    traceId: maybe(random, traceId(random)),
    spanId: maybe(random, spanId(random)),
    level: random.pick(ERROR_LEVELS),
    type: text(random),
    value: text(random),
    exceptions: random.list(2, () => ({
      type: text(random),
      value: text(random),
      mechanism: maybe(random, { type: text(random), handled: maybe(random, random.chance(0.5)) }),
      frames: random.list(3, () => frame(random)),
      stackText: text(random),
    })),
    transaction: text(random),
    service: text(random),
    environment: text(random),
    release: text(random),
    tags: attributes(random),
    breadcrumbs: text(random),
    request: text(random),
    context: text(random),
    fingerprint: texts(random),
    source: random.pick(SPAN_SOURCES),
  }
}

function frame(random: Random): StackFrame {
  return {
    function: text(random),
    module: text(random),
    file: text(random),
    line: maybe(random, random.pick([0, -1, 7.5, 1e15])),
    column: maybe(random, whole(random)),
    inApp: maybe(random, random.chance(0.5)),
    before: texts(random),
    context: text(random),
    after: texts(random),
  }
}

function log(random: Random, of: Resource, by: InstrumentationScope): LogRecord {
  return {
    logId: hex(random, 32),
    time: time(random),
    traceId: maybe(random, traceId(random)),
    spanId: maybe(random, spanId(random)),
    severityNumber: random.below(25),
    severityText: text(random),
    eventName: text(random),
    body: value(random, 0),
    attributes: attributes(random),
    resource: of,
    scope: by,
    source: random.pick(SPAN_SOURCES),
  }
}

function item(random: Random): ItemRecord {
  return {
    itemId: hex(random, 32),
    type: text(random),
    time: time(random),
    eventId: maybe(random, hex(random, 32)),
    aboutEventId: maybe(random, hex(random, 32)),
    traceId: maybe(random, traceId(random)),
    spanId: maybe(random, spanId(random)),
    service: text(random),
    environment: text(random),
    release: text(random),
    sdk: text(random),
    facts: random.list(3, () => [text(random), text(random)] as const),
    contentType: text(random),
    fileName: text(random),
    attachmentType: text(random),
    byteLength: whole(random),
    payload: bytes(random),
    cuts: random.list(2, () => ({ reason: "too_large" as const, count: whole(random), sample: text(random) })),
  }
}
