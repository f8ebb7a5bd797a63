import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { formatTracesRequest } from "../../../protocol/otlp/format-spans.ts"
import type { DropCategory, DropReason } from "../../../protocol/records/drop.ts"
import type { PageSettings } from "../../page-settings.ts"
import { orgIdOfHost, type SamplingContext, SamplingContexts } from "../../sentry/sampling-context.ts"
import { pageClock } from "../clock.ts"
import { isHidden } from "../page-lifecycle.ts"
import { settingsInDocument } from "../document.ts"
import type { Batch } from "./batch-sender.ts"
import { budgetedFetch } from "./page-fetch.ts"
import { Destination } from "./destination.ts"
import { dropReportingFetch } from "./page-fetch.ts"
import { KeepaliveBudget } from "./page-fetch.ts"
import type { PageRequest } from "./stored-deliveries.ts"
import type { PageDrops } from "./page-drops.ts"
import { requestOf } from "./page-request.ts"
import { PageSampling } from "./page-sampling.ts"
import { SentryOutbox } from "./sentry-outbox.ts"
import { SpanOutbox } from "./span-outbox.ts"

interface DeliveryOptions {
  /** The page's own `fetch`: telemetry must not make telemetry. */
  readonly nativeFetch: typeof globalThis.fetch
  /** The tunnel that this build has, where it has one. */
  readonly tunnel: string | undefined
  readonly drops: PageDrops
  readonly signal: AbortSignal
  /** The sampling context that the server sent with a trace that it began. */
  incoming(traceId: string): SamplingContext | undefined
}

/** What takes over once the page is idle. */
export interface Later {
  /** Bytes of batches that wait to be sent. */
  readonly waitingBytes: number
  send(batch: Batch, isLeaving: boolean): void
  post(url: string, request: PageRequest): Promise<Response>
  leave(): void
  stop(): void
}

/**
 * The way out of a page: Sentry envelopes and OTLP/JSON, through the tunnel where there is one. Both share one budget
 * of bytes that may outlive the page. Everything waits, bounded, until `LateDelivery` takes over; a page that is left
 * before sends once what it has.
 */
export class Delivery {
  readonly spans: SpanOutbox
  readonly sentry: SentryOutbox
  readonly sampling = new PageSampling()
  readonly destination: Destination
  readonly drops: PageDrops
  readonly signal: AbortSignal
  /** The page's own, which makes no spans. */
  readonly nativeFetch: typeof globalThis.fetch
  /** The same within the budget of what outlives the page, telling what was lost. */
  readonly fetch: typeof globalThis.fetch
  readonly #incoming: DeliveryOptions["incoming"]
  #contexts: SamplingContexts | undefined
  #later: Later | undefined
  #hasLeft = false

  constructor({ nativeFetch, tunnel, drops, signal, incoming }: DeliveryOptions) {
    const budget = new KeepaliveBudget()
    const isSampled = (span: ReadableSpan) => this.sampling.isSampled(span.spanContext())
    this.drops = drops
    this.signal = signal
    this.#incoming = incoming
    this.nativeFetch = nativeFetch
    this.destination = new Destination(tunnel)
    const isLeaving = () => this.#hasLeft || isHidden()
    const hasLeft = () => this.#hasLeft && navigator.onLine
    const budgeted = budgetedFetch(nativeFetch, budget, { isLeaving, hasLeft })
    this.fetch = dropReportingFetch(budgeted, drops, () => this.destination.tunnel)
    this.spans = new SpanOutbox({
      clock: pageClock,
      send: (batch, isLeaving) => this.#sendSpans(batch, isLeaving),
      isLeaving,
      keepaliveRoom: () => budget.room,
      waitingBytes: () => this.#later?.waitingBytes ?? 0,
      isSampled,
      lost: (spans) => drops.count("queue_overflow", "span", spans),
    })
    this.sentry = new SentryOutbox({
      samplingContext: (span) => this.samplingContext(span),
      sendRaw: (body, category) => this.#sendEnvelope(body, category),
      isSampled,
      lost: drops.count,
      factsOf: (payload) => {
        const { environment, release } = this.destination.settings ?? {}
        return { environment, release, request: requestOf(payload) }
      },
    })
    this.adopt(settingsInDocument(document))
  }

  get hasLeft(): boolean {
    return this.#hasLeft
  }

  samplingContext(span: ReadableSpan): SamplingContext | undefined {
    if (!this.sampling.isSettled(span.spanContext())) return undefined
    return this.#contexts?.of(span) ?? this.#incoming(span.spanContext().traceId)
  }

  adopt(settings: PageSettings | undefined): void {
    if (settings === undefined) return
    const { dsn, environment, release, sampleRate = 1 } = settings
    this.destination.learn(settings)
    this.sampling.learn(sampleRate)
    if (dsn === undefined) return
    const { username, hostname } = new URL(dsn)
    const project = { publicKey: username, environment, release, orgId: orgIdOfHost(hostname), sampleRate }
    this.#contexts = new SamplingContexts(project, (span) => this.#incoming(span.spanContext().traceId))
  }

  handOver(later: Later): void {
    this.#later = later
  }

  /** To be told before what ends with the page ends: nothing that it sends from now on can wait for an answer. */
  beginLeaving(reason: "page_left" | "document_hidden"): void {
    this.#hasLeft ||= reason === "page_left"
  }

  /** The page is going away, or may be: a hidden one often is not shown again. */
  leave(): void {
    this.sentry.leave()
    this.spans.flush(true)
    this.#later?.leave()
    this.#tellDrops()
  }

  /** The page has come back. */
  resume(): void {
    this.#hasLeft = false
  }

  /** Nothing goes out any more, and nothing is kept. */
  stop(): void {
    this.sentry.stop()
    this.spans.stop()
    this.#later?.stop()
    this.drops.clear()
  }

  #sendSpans(batch: Batch, isLeaving: boolean): void {
    if (this.#later !== undefined) return this.#later.send(batch, isLeaving)
    const request = { body: batch.body, headers: { "content-type": "application/json" } }
    void this.#sendOnce(this.destination.otlpUrl, request, (reason) => this.drops.count(reason, "span", batch.spans))
  }

  /** The page is left before there is a Sentry client. */
  #sendEnvelope(body: string, category: DropCategory): void {
    const request = { body, headers: { "content-type": "text/plain;charset=UTF-8" } }
    void this.#sendOnce(this.destination.envelopeUrl, request, (reason, status) => {
      // The tunnel counts its own refusals, but leaves the one for size to every sender.
      if (status === undefined || status === 413 || this.destination.tunnel === undefined)
        this.drops.count(reason, category, 1)
    })
  }

  /** What nothing is left to tell with, because all was lost, is told by itself. */
  #tellDrops(): void {
    const { tunnel } = this.destination
    if (tunnel === undefined || this.drops.isEmpty) return
    this.#sendSpans({ body: new TextEncoder().encode(formatTracesRequest([])), spans: 0 }, true)
  }

  async #sendOnce(
    url: string | undefined,
    request: PageRequest,
    lost: (reason: DropReason, status?: number) => void,
  ): Promise<void> {
    if (url === undefined) return lost("network_error")
    try {
      const post = this.#later?.post ?? this.fetch
      const { ok, status } = await post(url, { ...request, method: "POST" })
      if (!ok) lost("send_error", status)
    } catch {
      lost("network_error")
    }
  }
}
