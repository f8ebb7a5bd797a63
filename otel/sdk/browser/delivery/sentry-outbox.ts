import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { QUEUED_ENVELOPE_LIMIT, TRANSACTION_SPAN_LIMIT } from "../../../protocol/limits.ts"
import type { DropCategory, DropReason } from "../../../protocol/records/drop.ts"
import { formatEnvelope } from "../../../protocol/sentry/format-envelope.ts"
import { currentFilters } from "../../filters.ts"
import { safely } from "../../../protocol/safely.ts"
import type { SamplingContext } from "../../sentry/sampling-context.ts"
import { isLate, isVital } from "../../sentry/span-facts.ts"
import type { ChildSpan, Transaction, TransactionPayload } from "../../sentry/transaction-payload.ts"
import type { PageError } from "../errors/page-errors.ts"
import { bareAttributes, bareText, rawErrorDrop, rawErrorEvent } from "../errors/raw-error-event.ts"
import type { CountDrop } from "./page-drops.ts"

/** The part of the page's Sentry client that the rest of the tracer uses. */
export interface PageSentry {
  captureTransaction(transaction: Transaction, samplingContext: SamplingContext): void
  captureError(error: PageError): void
  /** Adds a drop outside the client to its client reports. */
  readonly reportDrop: CountDrop
  flush(): void
  /** Sends nothing from now on. */
  stop(): void
}

type Raw = TransactionPayload | ReturnType<typeof rawErrorEvent>

interface SentryOutboxOptions {
  samplingContext(span: ReadableSpan): SamplingContext | undefined
  /** Sends an envelope before the client is loaded; only while the page is left. */
  sendRaw(envelope: string, category: DropCategory): void
  /** Called when a transaction is sent: the decision may have been made since its root ended. */
  isSampled(root: ReadableSpan): boolean
  readonly dropped: CountDrop
  /** What every event says about the page of its span, as far as it is known. */
  factsOf(span: ReadableSpan | undefined): object
}

/** As in `page-client.ts`: otherwise Sentry records the IP address of the request as the visitor's. */
const SDK = { settings: { infer_ip: "never" } }

/**
 * Queues transactions and errors for the Sentry client, which is loaded once the page is idle. The queue is bounded. Each
 * entry keeps its own time and trace.
 */
export class SentryOutbox {
  readonly #options: SentryOutboxOptions
  #client: PageSentry | undefined
  #transactions: Transaction[] = []
  #errors: PageError[] = []
  #closed = false

  constructor(options: SentryOutboxOptions) {
    this.#options = options
  }

  connect(client: PageSentry): void {
    this.#client = client
    for (const error of this.#errors.splice(0)) this.#captureError(client, error)
    for (const transaction of this.#transactions.splice(0).filter(this.#isSampled)) this.#capture(client, transaction)
  }

  addTransaction(transaction: Transaction): void {
    if (this.#closed || !this.#isSampled(transaction)) return
    if (this.#client !== undefined) this.#capture(this.#client, transaction)
    else if (this.#isFull()) this.#drop("queue_overflow", transaction)
    else this.#transactions.push(transaction)
  }

  addError(error: PageError): void {
    if (this.#client !== undefined) this.#captureError(this.#client, error)
    else if (this.#isFull()) this.#options.dropped("queue_overflow", "error", 1)
    else this.#errors.push(error)
  }

  /** A page that is left cannot load the client: what waits is sent as it is, an error without its stack. */
  leave(): void {
    if (this.#client !== undefined) return this.#client.flush()
    for (const transaction of this.#transactions.splice(0).filter(this.#isSampled)) {
      const { root, payload } = transaction
      // Only the client can send a late span.
      if (isSpanAlone(transaction)) this.#drop("page_left", transaction)
      else this.#sendRaw("transaction", this.#cut(payload), root)
    }
    for (const error of this.#errors.splice(0)) safely(() => this.#sendRawError(error), this.#unreadable)
  }

  #sendRawError(error: PageError): void {
    if ((typeof __PAGESPAN_SENTRY_IN_PAGES__ === "undefined" || __PAGESPAN_SENTRY_IN_PAGES__) && error.isTaken) return
    const reason = rawErrorDrop(error, currentFilters())
    if (reason === undefined) this.#sendRaw("event", rawErrorEvent(error), error.span)
    else this.#options.dropped(reason, "error", 1)
  }

  readonly #isSampled = (transaction: Transaction): boolean => {
    const isSampled = this.#options.isSampled(transaction.root)
    if (!isSampled) this.#drop("sample_rate", transaction)
    return isSampled
  }

  #drop(reason: DropReason, transaction: Transaction): void {
    if (!isSpanAlone(transaction)) this.#options.dropped(reason, "transaction", 1)
    this.#options.dropped(reason, "span", transaction.payload.spans.length + 1)
  }

  #cut(payload: TransactionPayload): TransactionPayload {
    const cut = payload.spans.length - TRANSACTION_SPAN_LIMIT
    if (cut > 0) this.#options.dropped("limit_spans", "span", cut)
    return bare(payload)
  }

  /** Nothing is sent to Sentry from now on. Errors that wait are for the next client, if one connects. */
  stop(): void {
    this.#closed = true
    this.#transactions = []
    this.#client?.stop()
  }

  #sendRaw(type: "transaction" | "event", payload: Raw, span: ReadableSpan | undefined): void {
    const event = { ...payload, ...this.#options.factsOf(span), sdk: SDK }
    const trace = span && this.#options.samplingContext(span)
    const sent_at = new Date().toISOString()
    const header = { event_id: payload.event_id, sent_at, trace }
    this.#options.sendRaw(formatEnvelope(header, type, event), type === "event" ? "error" : type)
  }

  #captureError(client: PageSentry, error: PageError): void {
    safely(() => client.captureError(error), this.#unreadable)
  }

  /** A thrown object may have getters that throw. The other errors must still be sent. */
  readonly #unreadable = () => this.#options.dropped("internal_sdk_error", "error", 1)

  #capture(client: PageSentry, transaction: Transaction): void {
    // The other transactions must still be sent.
    safely(
      () => client.captureTransaction(transaction, this.#options.samplingContext(transaction.root) ?? {}),
      () => this.#drop("internal_sdk_error", transaction),
    )
  }

  #isFull(): boolean {
    return this.#transactions.length + this.#errors.length >= QUEUED_ENVELOPE_LIMIT
  }
}

/** Whether it holds one span that is sent by itself, and no root. */
function isSpanAlone(transaction: Transaction): boolean {
  return isVital(transaction.root) || isLate(transaction)
}

/** Redaction is loaded with the client. Without it, spans of the app itself are sent without attributes, links and queries. */
function bare({ contexts, spans, transaction, ...payload }: TransactionPayload): TransactionPayload {
  return {
    ...payload,
    transaction: bareText(transaction),
    contexts: { ...contexts, trace: bareSpan(contexts.trace) },
    spans: spans
      .slice(0, TRANSACTION_SPAN_LIMIT)
      .map((span) => ({ ...bareSpan(span), description: bareText(span.description) })),
  }
}

function bareSpan<S extends Pick<ChildSpan, "data" | "links">>(span: S): S {
  const data = bareAttributes(span.data)
  return { ...span, data, links: data["sentry.origin"] === undefined ? [] : span.links }
}
