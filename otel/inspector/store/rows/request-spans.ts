import { readSpan } from "../../../protocol/otlp/decode-traces.ts"
import { otlpType } from "../../../protocol/otlp/message.ts"
import { readResource, readScope, type RecordOrigin } from "../../../protocol/otlp/read-groups.ts"
import { protobufScalars, type RawMessage, RecordReader } from "../../../protocol/otlp/record-reader.ts"
import { WireReader } from "../../../protocol/otlp/wire.ts"
import { DropTally } from "../../../protocol/records/drop.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { SpanBlock } from "./span-block.ts"
import { SpanFields } from "./span-fields.ts"

/** Where spans go. */
export interface SpanTarget {
  /** Whether a span of that time is stored. The others are counted. */
  accepts(startTime: Nanoseconds): boolean
  /** The block for the next span, which has about this many bytes. */
  blockFor(bytes: number): SpanBlock
  add(span: SpanRecord): void
  /** A block that gets no further spans. */
  takeFull(): SpanBlock | undefined
}

/** The bytes of a resource or scope, and what they say. */
interface Known<Value> {
  readonly bytes: Buffer
  readonly value: Value
}

/** `countPlainSpans` has checked the request by the clock of that time. */
const ANY_TIME = nanoseconds(2n ** 63n - 1n)
const NO_BYTES = Buffer.alloc(0)

/**
 * Makes columns of requests that `countPlainSpans` has accepted, in one pass and without a record for each span. Spans with
 * events, links or structured values become records first: few have them.
 */
export class RequestSpans {
  readonly #reader = new RecordReader(protobufScalars, new DropTally())
  readonly #fields = new SpanFields()
  /** Requests of one process have the same resource, and few scopes. */
  #resource: Known<RecordOrigin["resource"]> | undefined
  #scope: Known<RecordOrigin["scope"]> | undefined

  constructor(private readonly target: SpanTarget) {}

  /**
   * Yields each block that is full. A few bytes of a resource become columns of any size.
   *
   * @throws {Error} when `countPlainSpans` would not have accepted it.
   */
  *add(request: Uint8Array): Generator<SpanBlock> {
    const wire = new WireReader(request)
    while (wire.at < wire.bytes.length) {
      wire.varint()
      yield* this.#resourceSpans(wire, wire.innerEnd(wire.bytes.length))
    }
    const problem = this.#reader.takeProblem()
    if (problem !== undefined) throw new Error(`a request of the journal is not plain: ${problem.text}`)
  }

  *#resourceSpans(wire: WireReader, end: number): Generator<SpanBlock> {
    let resource: Buffer = NO_BYTES
    let schemaUrl = ""
    const scopes: number[] = []
    while (wire.at < end) {
      const field = wire.varint() >>> 3
      const inner = wire.innerEnd(end)
      if (field === 1) resource = wire.bytes.subarray(wire.at, inner)
      else if (field === 3) schemaUrl = wire.bytes.toString("utf8", wire.at, inner)
      else scopes.push(wire.at, inner)
      wire.at = inner
    }
    const known = this.#resource
    if (known?.value.schemaUrl !== schemaUrl || !known.bytes.equals(resource)) {
      const message = { resource: decode("Resource", resource), schemaUrl }
      this.#resource = { bytes: resource, value: readResource(this.#reader, message) }
    }
    for (let index = 0; index < scopes.length; index += 2) {
      wire.at = scopes[index] ?? end
      yield* this.#scopeSpans(wire, scopes[index + 1] ?? end)
    }
    wire.at = end
  }

  *#scopeSpans(wire: WireReader, end: number): Generator<SpanBlock> {
    const start = wire.at
    let scope: Buffer = NO_BYTES
    let schemaUrl = ""
    while (wire.at < end) {
      const field = wire.varint() >>> 3
      const inner = wire.innerEnd(end)
      if (field === 1) scope = wire.bytes.subarray(wire.at, inner)
      else if (field === 3) schemaUrl = wire.bytes.toString("utf8", wire.at, inner)
      wire.at = inner
    }
    const known = this.#scope
    if ((known?.value.schemaUrl ?? "") !== schemaUrl || known === undefined || !known.bytes.equals(scope)) {
      const message = { scope: decode("InstrumentationScope", scope), schemaUrl }
      this.#scope = { bytes: scope, value: readScope(this.#reader, message) }
    }
    wire.at = start
    while (wire.at < end) {
      const field = wire.varint() >>> 3
      const inner = wire.innerEnd(end)
      if (field === 2) this.#span(wire, inner)
      wire.at = inner
      const full = this.target.takeFull()
      if (full !== undefined) yield full
    }
  }

  #span(wire: WireReader, end: number): void {
    const start = wire.at
    const fields = this.#fields
    const resource = this.#resource
    const scope = this.#scope
    if (resource === undefined || scope === undefined) return
    const origin = { resource: resource.value, scope: scope.value }
    if (!fields.read(wire, end)) {
      const raw = decode("Span", wire.bytes.subarray(start, end))
      this.target.add(readSpan(this.#reader, raw, origin, ANY_TIME))
    } else if (this.target.accepts(nanoseconds(fields.startTime)))
      fields.writeTo(this.target.blockFor(end - start + resource.bytes.length), wire.bytes, origin)
  }
}

function decode(type: "Resource" | "InstrumentationScope" | "Span", bytes: Buffer): RawMessage {
  return otlpType(type).decode(bytes) as unknown as RawMessage
}
