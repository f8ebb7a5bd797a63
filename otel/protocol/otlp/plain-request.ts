import type { RecordBatch } from "../records/batch.ts"
import type { SpanRecord } from "../records/span.ts"
import { type DecodeLimits, decodeTraces } from "./decode-traces.ts"
import { countPlainSpans } from "./plain-traces.ts"

/**
 * A protobuf request that is accepted as it arrived. Its records are made when something looks at them: a live view, or a
 * destination that it is forwarded to.
 */
export class PlainRequest implements RecordBatch {
  readonly errors = []
  readonly logs = []
  readonly items = []
  #spans: readonly SpanRecord[] | undefined

  private constructor(
    readonly body: Uint8Array,
    readonly spanCount: number,
    private readonly limits: DecodeLimits,
  ) {}

  /** `undefined` if the request has to be decoded, because it is cut, rejected in parts, or refused. */
  static from(body: Uint8Array, limits: DecodeLimits): PlainRequest | undefined {
    const spanCount = countPlainSpans(body, limits)
    return spanCount === undefined ? undefined : new PlainRequest(body, spanCount, limits)
  }

  get spans(): readonly SpanRecord[] {
    this.#spans ??= this.#decode()
    return this.#spans
  }

  #decode(): readonly SpanRecord[] {
    const decoded = decodeTraces(this.body, "protobuf", this.limits)
    return decoded.ok ? decoded.spans : []
  }
}
