import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { QUEUED_ENVELOPE_LIMIT, TRANSACTION_SPAN_LIMIT } from "../../../protocol/limits.ts"
import type { DropCategory } from "../../../protocol/records/drop.ts"
import { formatEnvelope } from "../../../protocol/sentry/format-envelope.ts"
import { safely } from "../../safely.ts"
import type { SamplingContext } from "../../sentry/sampling-context.ts"
import type { ChildSpan, Transaction, TransactionPayload } from "../../sentry/transaction-payload.ts"
import { isLate, isVital } from "../../sentry/span-facts.ts"
import { bareText } from "../errors/bare-text.ts"
import type { PageError } from "../errors/page-error.ts"
import { rawErrorEvent } from "../errors/raw-error-event.ts"
import type { CountDrop } from "./page-drops.ts"
import type { PageSentry } from "./page-sentry.ts"

type Raw = TransactionPayload | ReturnType<typeof rawErrorEvent>

interface SentryOutboxOptions {
  samplingContext(span: ReadableSpan): SamplingContext | undefined
  /** Sends a written envelope before the client is there; only while the page is left. */
  sendRaw(envelope: string, category: DropCategory): void
  /** Asked when a transaction is sent: it may have been decided since its root ended. */
  isSampled(root: ReadableSpan): boolean
  readonly lost: CountDrop
  /** What the page says of itself in every event, as far as it is known yet. */
  factsOf(payload: Raw): object
}

/**
 * Transactions and errors on their way to the Sentry client, which is loaded once the page is idle. What happens
 * before is kept, bounded, and handed over with its own time and trace.
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

  /** Sentry is off: nothing is kept from now on. */
  close(): void {
    this.#closed = true
    this.#transactions = []
    this.#errors = []
  }

  addTransaction(transaction: Transaction): void {
    if (this.#closed || !this.#isSampled(transaction)) return
    if (this.#client !== undefined) this.#capture(this.#client, transaction)
    else if (this.#isFull()) this.#options.lost("queue_overflow", isLate(transaction) ? "span" : "transaction", 1)
    else this.#transactions.push(transaction)
  }

  addError(error: PageError): void {
    if (this.#closed) return
    if (this.#client !== undefined) this.#captureError(this.#client, error)
    else if (this.#isFull()) this.#options.lost("queue_overflow", "error", 1)
    else this.#errors.push(error)
  }

  /** Nobody loads a client for a page that is going: what waits goes as it is, an error without its stack. */
  leave(): void {
    if (this.#client !== undefined) return this.#client.flush()
    for (const transaction of this.#transactions.splice(0).filter(this.#isSampled)) {
      const { root, payload } = transaction
      // Only the client can send what has no root any more.
      if (isVital(root) || isLate(transaction)) this.#options.lost("page_left", "span", 1)
      else this.#sendRaw("transaction", this.#cut(payload), root)
    }
    for (const error of this.#errors.splice(0))
      safely(() => this.#sendRaw("event", rawErrorEvent(error), error.span), this.#unreadable)
  }

  readonly #isSampled = (transaction: Transaction): boolean => {
    const { root, payload } = transaction
    const isSampled = this.#options.isSampled(root)
    if (!isSampled) {
      if (!isVital(root) && !isLate(transaction)) this.#options.lost("sample_rate", "transaction", 1)
      this.#options.lost("sample_rate", "span", payload.spans.length + 1)
    }
    return isSampled
  }

  #cut(payload: TransactionPayload): TransactionPayload {
    const cut = payload.spans.length - TRANSACTION_SPAN_LIMIT
    if (cut > 0) this.#options.lost("limit_spans", "span", cut)
    return bare(payload)
  }

  /** Nothing goes out any more, and nothing is kept. */
  stop(): void {
    this.close()
    this.#client?.stop()
  }

  #sendRaw(type: "transaction" | "event", payload: Raw, span: ReadableSpan | undefined): void {
    const event = { ...payload, ...this.#options.factsOf(payload) }
    const trace = span && this.#options.samplingContext(span)
    const sent_at = new Date().toISOString()
    const header = { event_id: payload.event_id, sent_at, ...(trace === undefined ? {} : { trace }) }
    this.#options.sendRaw(formatEnvelope(header, type, event), type === "event" ? "error" : type)
  }

  #captureError(client: PageSentry, error: PageError): void {
    safely(() => client.captureError(error), this.#unreadable)
  }

  /** What is thrown may have getters that throw. It must not keep other errors from being sent. */
  readonly #unreadable = () => this.#options.lost("internal_sdk_error", "error", 1)

  #capture(client: PageSentry, transaction: Transaction): void {
    client.captureTransaction(transaction, this.#options.samplingContext(transaction.root) ?? {})
  }

  #isFull(): boolean {
    return this.#transactions.length + this.#errors.length >= QUEUED_ENVELOPE_LIMIT
  }
}

/** What takes secrets out comes with the client. Without it what the app itself made goes without attributes, links and queries. */
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
  return span.data["sentry.origin"] === undefined ? { ...span, data: {}, links: [] } : span
}
