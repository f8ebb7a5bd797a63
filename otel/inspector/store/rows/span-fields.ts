import type { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import type { RecordOrigin } from "../../../protocol/otlp/read-groups.ts"
import type { WireReader } from "../../../protocol/otlp/wire.ts"
import type { AttributeValue } from "../../../protocol/records/attributes.ts"
import { attributeText } from "../../../protocol/records/attributes.ts"
import { serviceName, SPAN_KINDS, STATUS_CODES } from "../../../protocol/records/span.ts"
import { nanoseconds } from "../../../protocol/records/time.ts"
import type { SpanBlock } from "./span-block.ts"
import { kindName, statusName, storableDuration, storableTime } from "./stored-values.ts"
import { type BagsText, KnownTypes } from "./stored-attributes.ts"

/** Fields of `AnyValue` that have a plain value. */
const VALUE = { none: 0, text: 1, bool: 2, int: 3, double: 4 } as const

/** A range of bytes. */
class Range {
  start = 0
  end = 0

  set(start: number, end: number): void {
    this.start = start
    this.end = end
  }
}

/** Numbers of an attribute in the list of them: range of the key, type, range of the value. */
const NUMBERS = 5

/**
 * The fields of one span, as places in its protobuf bytes. The object is used for one span after the other, so that a
 * span needs no memory.
 */
export class SpanFields {
  startTime = 0n
  #endTime = 0n
  readonly #traceId = new Range()
  readonly #spanId = new Range()
  readonly #parentId = new Range()
  readonly #traceState = new Range()
  readonly #name = new Range()
  readonly #message = new Range()
  #hasParent = false
  #kind = 0
  #code = 0
  #flags = 0
  #droppedAttributes = 0
  #droppedEvents = 0
  #droppedLinks = 0
  readonly #attributes: number[] = []
  #attributeEnd = 0
  readonly #types = new KnownTypes()

  /** Reads the span up to `end`. `false` if it has events, links, or attributes that are no text, number or boolean. */
  read(wire: WireReader, end: number): boolean {
    this.#clear()
    while (wire.at < end) if (!this.#field(wire.varint() >>> 3, wire, end)) return false
    return true
  }

  #field(field: number, wire: WireReader, end: number): boolean {
    switch (field) {
      case 1:
        this.#range(wire, this.#traceId, end)
        return true
      case 2:
        this.#range(wire, this.#spanId, end)
        return true
      case 3:
        this.#range(wire, this.#traceState, end)
        return true
      case 4:
        this.#range(wire, this.#parentId, end)
        this.#hasParent = hasAny(wire.bytes, this.#parentId)
        return true
      case 5:
        this.#range(wire, this.#name, end)
        return true
      case 6:
        this.#kind = wire.varint()
        return true
      case 7:
        this.startTime = wire.bytes.readBigUInt64LE(wire.at)
        wire.at += 8
        return true
      case 8:
        this.#endTime = wire.bytes.readBigUInt64LE(wire.at)
        wire.at += 8
        return true
      case 9:
        return this.#attribute(wire, wire.innerEnd(end))
      case 10:
        this.#droppedAttributes = wire.varint()
        return true
      case 12:
        this.#droppedEvents = wire.varint()
        return true
      case 14:
        this.#droppedLinks = wire.varint()
        return true
      case 15:
        this.#status(wire, wire.innerEnd(end))
        return true
      case 16:
        this.#flags = wire.uint32At(wire.at)
        wire.at += 4
        return true
      default:
        return false
    }
  }

  /** Writes a row of each table. The values are those of `SpanBlock.add` for the record of the span. */
  writeTo(block: SpanBlock, bytes: Buffer, { resource, scope }: RecordOrigin): void {
    const { trace, detail } = block.columns
    const time = storableTime(nanoseconds(this.startTime))
    const duration = storableDuration(nanoseconds(this.startTime), nanoseconds(this.#endTime))
    const service = serviceName(resource)
    trace.Timestamp.add(time)
    detail.Timestamp.add(time)
    trace.Duration.add(duration)
    detail.Duration.add(duration)
    hex(trace.TraceId.values, bytes, this.#traceId)
    hex(detail.TraceId.values, bytes, this.#traceId)
    hex(trace.SpanId.values, bytes, this.#spanId)
    hex(detail.SpanId.values, bytes, this.#spanId)
    if (this.#hasParent) hex(trace.ParentSpanId.values, bytes, this.#parentId)
    else trace.ParentSpanId.add("")
    text(trace.TraceState.values, bytes, this.#traceState)
    text(trace.StatusMessage.values, bytes, this.#message)
    trace.SpanName.addUtf8(bytes, this.#name.start, this.#name.end)
    detail.SpanName.addUtf8(bytes, this.#name.start, this.#name.end)
    const code = STATUS_CODES[this.#code] ?? "unset"
    trace.SpanKind.add(kindName(SPAN_KINDS[this.#kind] ?? "unspecified"))
    trace.StatusCode.add(statusName(code))
    trace.ServiceName.add(service)
    detail.ServiceName.add(service)
    trace.ResourceAttributes.add(resource.attributes)
    trace.ScopeName.add(scope.name)
    trace.ScopeVersion.add(scope.version)
    for (const list of block.lists) list.add(NO_VALUES)
    detail.Source.add("otlp")
    detail.AttributeCount.add(this.#attributeEnd / NUMBERS)
    detail.IsRoot.add(!this.#hasParent)
    detail.IsError.add(code === "error")
    detail.Flags.add(this.#flags)
    detail.DroppedAttributes.add(this.#droppedAttributes)
    detail.DroppedEvents.add(this.#droppedEvents)
    detail.DroppedLinks.add(this.#droppedLinks)
    detail.SchemaUrl.add(resource.schemaUrl)
    detail.ScopeAttributes.add(scope.attributes)
    const own = this.#writeAttributes(trace.SpanAttributes, bytes)
    const { types, exact } = block.bags.textAround(own, resource, scope)
    detail.AttributeTypes.add(types)
    detail.ExactAttributes.add(exact)
    block.endSpan()
  }

  #clear(): void {
    this.#traceState.set(0, 0)
    this.#name.set(0, 0)
    this.#message.set(0, 0)
    this.#hasParent = false
    this.#kind = 0
    this.#code = 0
    this.#flags = 0
    this.#droppedAttributes = 0
    this.#droppedEvents = 0
    this.#droppedLinks = 0
    this.#attributeEnd = 0
  }

  #range(wire: WireReader, range: Range, end: number): void {
    const inner = wire.innerEnd(end)
    range.set(wire.at, inner)
    wire.at = inner
  }

  #status(wire: WireReader, end: number): void {
    while (wire.at < end) {
      const field = wire.varint() >>> 3
      if (field === 2) this.#range(wire, this.#message, end)
      else this.#code = wire.varint()
    }
  }

  #attribute(wire: WireReader, end: number): boolean {
    const at = this.#attributeEnd
    const numbers = this.#attributes
    numbers[at] = numbers[at + 1] = wire.at
    numbers[at + 2] = VALUE.none
    numbers[at + 3] = numbers[at + 4] = end
    while (wire.at < end) {
      const field = wire.varint() >>> 3
      const inner = wire.innerEnd(end)
      if (field === 1) {
        numbers[at] = wire.at
        numbers[at + 1] = inner
      } else if (wire.at < inner) {
        const type = wire.varint() >>> 3
        if (type > VALUE.double) return false
        if (type === VALUE.text) wire.innerEnd(inner)
        numbers[at + 2] = type
        numbers[at + 3] = wire.at
        numbers[at + 4] = inner
      }
      wire.at = inner
    }
    this.#attributeEnd = at + NUMBERS
    return true
  }

  /** @returns the types of the attributes, as text. */
  #writeAttributes(column: SpanBlock["columns"]["trace"]["SpanAttributes"], bytes: Buffer): BagsText {
    const numbers = this.#attributes
    const types = this.#types.start(column)
    for (let at = 0; at < this.#attributeEnd; at += NUMBERS) {
      const key = column.keys.addUtf8(bytes, numbers[at] ?? 0, numbers[at + 1] ?? 0)
      const type = numbers[at + 2] ?? 0
      const start = numbers[at + 3] ?? 0
      if (type === VALUE.text) column.values.range(bytes, start, numbers[at + 4] ?? 0)
      else {
        const value = readPlain(bytes, type, start)
        column.values.text(attributeText(value))
        types.add(key, type, value)
      }
    }
    column.endBag()
    return types.text()
  }
}

const NO_VALUES: readonly never[] = []

function hasAny(bytes: Buffer, { start, end }: Range): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] !== 0) return true
  return false
}

function hex(to: ByteWriter, bytes: Buffer, { start, end }: Range): void {
  to.hex(bytes, start, end)
}

function text(to: ByteWriter, bytes: Buffer, { start, end }: Range): void {
  to.range(bytes, start, end)
}

function readPlain(bytes: Buffer, type: number, at: number): AttributeValue {
  if (type === VALUE.none) return null
  if (type === VALUE.double) return bytes.readDoubleLE(at)
  const first = bytes[at] ?? 0
  if (type === VALUE.bool) return readVarint(bytes, at) !== 0n
  return first < 0x80 ? (SMALL[first] ?? 0n) : BigInt.asIntN(64, readVarint(bytes, at))
}

/** Status codes, sizes and ports are small: a bigint of each takes memory. */
const SMALL = Array.from({ length: 0x80 }, (_, value) => BigInt(value))

function readVarint(bytes: Buffer, from: number): bigint {
  let value = 0n
  for (let shift = 0n, at = from; ; shift += 7n, at += 1) {
    const byte = bytes[at] ?? 0
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return BigInt.asUintN(64, value)
  }
}
