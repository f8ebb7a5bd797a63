import type { Attributes } from "@opentelemetry/api"
import type { Client, TransactionEvent } from "@sentry/core"
import { TRANSACTION_SPAN_LIMIT } from "../../protocol/limits.ts"
import { type EnvelopeFormatSetting, TraceFormats } from "../envelope-format.ts"
import type { SamplingContext } from "./sampling-context.ts"
import { isLate, isVital } from "./span-facts.ts"
import { described } from "./span-mapping.ts"
import type { ChildSpan, Transaction } from "./transaction.ts"
import { LateSpans, sendLateSpans } from "./vitals.ts"

const HEADER_PREFIX = "http.request.header."

/** What Sentry shows of the request that a root answered. Holds no query: the attributes that it is read from have none. */
export interface TransactionRequest {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** From attributes that have been made ready to leave; `undefined` where the root answered no request. */
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

/** Header attributes are lists by convention, single texts in older instrumentations. */
function firstOf(value: Attributes[string]): string | undefined {
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === "string" ? first : undefined
}

/** Sends finished roots, or late spans, of one trace as a stream of spans. */
export type SendStream = (client: Client, sent: readonly Transaction[], samplingContext: SamplingContext) => void

interface SenderOptions {
  readonly client: Client
  readonly setting: EnvelopeFormatSetting
  /** A function, or a promise of one: in a page it is a chunk of its own. */
  stream(): SendStream | Promise<SendStream>
  /** Children that a transaction had no room for. */
  lost(count: number, sample: string): void
}

/**
 * Sends finished roots through the Sentry client's own pipeline and transport, each in the form that its trace has. A
 * transaction has the children that started first; those that it has no room for are counted. Late spans of a page have
 * the form of their trace as well: streamed spans, or spans by themselves beside a transaction.
 */
export class TransactionSender {
  readonly #options: SenderOptions
  readonly #forms: TraceFormats
  #stream: SendStream | undefined
  readonly #late = new LateSpans((spans, samplingContext) => this.#deliver(spans, samplingContext))
  /** What is to be streamed, as soon as what streams it is there. */
  #waiting: (readonly [readonly Transaction[], SamplingContext])[] = []

  constructor(options: SenderOptions) {
    this.#options = options
    this.#forms = new TraceFormats(options.setting)
  }

  send(transaction: Transaction, samplingContext: SamplingContext): void {
    const late = isLate(transaction)
    if (!isVital(transaction.root))
      return late ? this.#late.add(transaction, samplingContext) : this.#deliver([transaction], samplingContext)
    // It may settle while the page is left. One that its root has told already is not sent again.
    if (late) sendLateSpans(this.#options.client, [transaction], samplingContext)
  }

  /** What still waits goes now, and as transactions where it was to be streamed: the page is left, or what streams cannot be had. */
  settle(): void {
    this.#late.flush()
    for (const [sent, samplingContext] of this.#waiting.splice(0)) {
      for (const { payload } of sent) this.#forms.settle(payload.contexts.trace.trace_id, "transaction")
      this.#capture(sent, samplingContext)
    }
  }

  /** @param sent a root, or late spans of one trace. */
  #deliver(sent: readonly Transaction[], samplingContext: SamplingContext): void {
    const [first] = sent
    if (first === undefined) return
    const { contexts, spans } = first.payload
    if (this.#forms.of(contexts.trace.trace_id, spans.length) === "transaction")
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
    if (cut > 0) this.#options.lost(cut, root.name)
    const event = {
      ...payload,
      spans: spans.map(described),
      sdkProcessingMetadata: { dynamicSamplingContext: samplingContext },
    }
    // The client's types are narrower than what Sentry takes: its `origin` is a template type, its `data` has no nulls.
    this.#options.client.captureEvent(event as unknown as TransactionEvent)
  }
}

/** The children that a transaction may have, in the order in which they started. */
function firstStarted(children: readonly ChildSpan[]): ChildSpan[] {
  return children.toSorted((a, b) => a.start_timestamp - b.start_timestamp).slice(0, TRANSACTION_SPAN_LIMIT)
}
