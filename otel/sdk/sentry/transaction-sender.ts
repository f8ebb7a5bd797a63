import type { Attributes } from "@opentelemetry/api"
import type { Client, TransactionEvent } from "@sentry/core"
import { TRANSACTION_SPAN_LIMIT } from "../../protocol/limits.ts"
import { type EnvelopeFormatSetting, TraceFormats } from "../envelope-format.ts"
import type { SamplingContext } from "./sampling-context.ts"
import { isLate, isVital } from "./span-facts.ts"
import { withDescription } from "./span-mapping.ts"
import type { ChildSpan, Transaction, TransactionRequest } from "./transaction-payload.ts"
import { LateSpans, sendLateSpans } from "./vitals.ts"

const HEADER_PREFIX = "http.request.header."

/** @param attributes sanitized ones. @returns `undefined` if the root handled no request. */
export function transactionRequest(attributes: Attributes): TransactionRequest | undefined {
  const method = attributes["http.request.method"]
  if (typeof method !== "string") return undefined
  const url = requestUrl(attributes)
  const headers = requestHeaders(attributes)
  return {
    method,
    ...(url === undefined ? {} : { url }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  }
}

function requestUrl(attributes: Attributes): string | undefined {
  const full = attributes["url.full"]
  if (typeof full === "string") return full
  const path = attributes["url.path"]
  if (typeof path !== "string") return undefined
  const host = firstOf(attributes[`${HEADER_PREFIX}host`]) ?? attributes["server.address"]
  return typeof host === "string" ? `${String(attributes["url.scheme"] ?? "http")}://${host}${path}` : path
}

function requestHeaders(attributes: Attributes): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [key, value] of Object.entries(attributes)) {
    const text = key.startsWith(HEADER_PREFIX) ? firstOf(value) : undefined
    if (text !== undefined) headers[key.slice(HEADER_PREFIX.length).replaceAll("_", "-")] = text
  }
  const agent = attributes["user_agent.original"]
  return typeof agent === "string" ? { ...headers, "user-agent": agent } : headers
}

/** By convention header attributes are lists; older instrumentations write single strings. */
function firstOf(value: Attributes[string]): string | undefined {
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === "string" ? first : undefined
}

/** Sends finished roots, or late spans, of one trace as a stream of spans. */
export type SendStream = (client: Client, sent: readonly Transaction[], samplingContext: SamplingContext) => void

interface SenderOptions {
  readonly client: Client
  readonly setting: EnvelopeFormatSetting
  /** A function, or a promise of one: in a page it is a separate chunk. */
  stream(): SendStream | Promise<SendStream>
  /** Called with the number of children that exceeded a transaction's limit. */
  drop(count: number, sample: string): void
}

/**
 * Sends finished roots through the Sentry client's own pipeline and transport, in the format of their trace. A transaction
 * holds the 1,000 children that started first; the others are counted as dropped. Late spans of a page have the format of
 * their trace too: streamed spans, or standalone spans beside a transaction.
 */
export class TransactionSender {
  readonly #options: SenderOptions
  readonly #formats: TraceFormats
  #stream: SendStream | undefined
  readonly #late = new LateSpans((spans, samplingContext) => this.#deliver(spans, samplingContext))
  /** Most settle while the page unloads, when no chunk of the stream can load. */
  readonly #vitals = new LateSpans((spans, samplingContext) =>
    sendLateSpans(this.#options.client, spans, samplingContext),
  )
  /** Roots that wait until the stream's chunk has loaded. */
  #waiting: (readonly [readonly Transaction[], SamplingContext])[] = []

  constructor(options: SenderOptions) {
    this.#options = options
    this.#formats = new TraceFormats(options.setting)
  }

  send(transaction: Transaction, samplingContext: SamplingContext): void {
    const late = isLate(transaction)
    if (!isVital(transaction.root))
      return late ? this.#late.add(transaction, samplingContext) : this.#deliver([transaction], samplingContext)
    // A vital that its root has reported is not sent again.
    if (late) this.#vitals.add(transaction, samplingContext)
  }

  /**
   * Sends everything that waits, because the page unloads or the stream's chunk failed to load. Roots that wait for the chunk
   * are sent as transactions.
   */
  settle(): void {
    this.#late.flush()
    this.#vitals.flush()
    for (const [sent, samplingContext] of this.#waiting.splice(0)) {
      for (const { payload } of sent) this.#formats.settle(payload.contexts.trace.trace_id, "transaction")
      this.#capture(sent, samplingContext)
    }
  }

  /** @param sent one root, or late spans of one trace. */
  #deliver(sent: readonly Transaction[], samplingContext: SamplingContext): void {
    const [first] = sent
    if (first === undefined) return
    const { contexts, spans } = first.payload
    if (this.#formats.of(contexts.trace.trace_id, spans.length) === "transaction")
      return this.#capture(sent, samplingContext)
    this.#waiting.push([sent, samplingContext])
    if (this.#stream !== undefined) return this.#sendWaiting(this.#stream)
    const stream = this.#options.stream()
    if (typeof stream === "function") return this.#sendWaiting(stream)
    stream.then(
      (loaded) => this.#sendWaiting(loaded),
      () => this.settle(),
    )
  }

  #sendWaiting(stream: SendStream): void {
    this.#stream = stream
    for (const [sent, samplingContext] of this.#waiting.splice(0)) stream(this.#options.client, sent, samplingContext)
  }

  #capture(sent: readonly Transaction[], samplingContext: SamplingContext): void {
    const late = sent.filter(isLate)
    if (late.length > 0) sendLateSpans(this.#options.client, late, samplingContext)
    else for (const transaction of sent) this.#captureRoot(transaction, samplingContext)
  }

  #captureRoot({ payload, root }: Transaction, samplingContext: SamplingContext): void {
    const spans = firstStarted(payload.spans)
    const cut = payload.spans.length - spans.length
    if (cut > 0) this.#options.drop(cut, root.name)
    const event = {
      ...payload,
      spans: spans.map(withDescription),
      sdkProcessingMetadata: { dynamicSamplingContext: samplingContext },
    }
    // The client's types are narrower than what Sentry accepts: `origin` is a template type, and `data` excludes null.
    this.#options.client.captureEvent(event as unknown as TransactionEvent)
  }
}

/** The first children up to a transaction's limit, in start order. */
function firstStarted(children: readonly ChildSpan[]): ChildSpan[] {
  // Not `toSorted`: it runs in pages too, and Firefox has it from version 115 on, Next from 111.
  return [...children].sort((a, b) => a.start_timestamp - b.start_timestamp).slice(0, TRANSACTION_SPAN_LIMIT)
}
