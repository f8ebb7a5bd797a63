import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { formatTracesRequest, type SpanRedaction } from "../../../protocol/otlp/format-spans.ts"
import type { DropCategory, DropReason } from "../../../protocol/records/drop.ts"
import type { PageSettings } from "../../page-settings.ts"
import type { BuildManifest } from "../../routes/build-manifest.ts"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { orgIdOfHost, type SamplingContext, SamplingContexts, type TracedSpan } from "../../sentry/sampling-context.ts"
import { pageClock } from "../clock.ts"
import { type ServerTrace, settingsInDocument } from "../document.ts"
import { bareRedaction } from "../errors/raw-error-event.ts"
import { loadOwn } from "../own-scripts.ts"
import { isHidden } from "../page-lifecycle.ts"
import type { Batch } from "./batch-sender.ts"
import { Destination } from "./destination.ts"
import { PageDrops } from "./page-drops.ts"
import { budgetedFetch, dropReportingFetch, KeepaliveBudget } from "./page-fetch.ts"
import { type RequestOf, requestsOf } from "./page-request.ts"
import { PageSampling } from "./page-sampling.ts"
import { SentryOutbox } from "./sentry-outbox.ts"
import { SpanOutbox } from "./span-outbox.ts"
import type { PageRequest } from "./stored-deliveries.ts"

/** What takes over once the page is idle. */
export interface Late {
  readonly redaction: SpanRedaction
  /** Bytes of batches that wait to be sent. */
  readonly waitingBytes: number
  send(batch: Batch, isLeaving: boolean): void
  post(url: string, request: PageRequest): Promise<Response>
  leave(): void
  stop(): void
  /** Logs that a filter of the app has failed. */
  filterFailed(filter: string, error: unknown): void
}

interface DeliveryOptions extends Pick<BuildManifest, "basePath" | "settings" | "tunnel"> {
  readonly matcher: RouteMatcher
  readonly server: ServerTrace | undefined
  readonly nativeFetch: typeof globalThis.fetch
  readonly signal: AbortSignal
}

/** Time in which web vitals settle after the page was hidden, in their own listeners. */
const SETTLING_MS = 1_000

/**
 * Delivers Sentry envelopes and OTLP/JSON, through the tunnel where there is one. All requests share one budget of
 * `keepalive` bytes. Everything waits in bounded queues until `LateDelivery` takes over. A page that is left before that
 * sends what it has, once.
 */
export class Delivery {
  readonly drops = new PageDrops()
  readonly sampling = new PageSampling()
  readonly spans: SpanOutbox
  readonly sentry: SentryOutbox
  readonly destination: Destination
  readonly signal: AbortSignal
  /** The page's own `fetch`, before it is traced: deliveries make no spans. */
  readonly nativeFetch: typeof globalThis.fetch
  /** `nativeFetch` within the `keepalive` budget, which reports drops to the tunnel. */
  readonly fetch: typeof globalThis.fetch
  // For what is loaded late: a bundler inlines a file that only the first load imports.
  readonly requestOf: RequestOf
  readonly loadOwn = loadOwn
  /** Whether the page has been left: from then on nothing can wait for a response. */
  hasLeft = false
  /**
   * Whether what ends now waits for `leave()`, which follows at once. A browser that closes a tab cuts requests off: one
   * request for all spans arrives where one for each does not.
   */
  isGathering = false
  late: Late | undefined
  /** When what settles as the page is hidden has settled. A tab in the background goes on, and sends as a visible one does. */
  #settledAt = 0
  readonly #server: ServerTrace | undefined
  #contexts: SamplingContexts | undefined

  constructor({ basePath, settings, tunnel, matcher, server, nativeFetch, signal }: DeliveryOptions) {
    const { drops } = this
    const budget = new KeepaliveBudget()
    const isSampled = (span: ReadableSpan) => this.sampling.isSampled(span.spanContext())
    const isLeaving = () => this.hasLeft || isHidden()
    const hasLeft = () => this.hasLeft && navigator.onLine
    this.requestOf = requestsOf(matcher)
    this.nativeFetch = nativeFetch
    this.signal = signal
    this.#server = server
    this.destination = new Destination(tunnel && `${basePath}${tunnel}`)
    const budgeted = budgetedFetch(nativeFetch, budget, { isLeaving, hasLeft })
    this.fetch = dropReportingFetch(budgeted, drops, () => this.destination.tunnel)
    this.spans = new SpanOutbox({
      clock: pageClock,
      send: (batch, isLast) => this.#sendSpans(batch, isLast),
      isLeaving: () => this.isOver,
      keepaliveRoom: () => budget.room,
      waitingBytes: () => this.late?.waitingBytes ?? 0,
      isSampled,
      dropped: drops.count,
      // The tunnel redacts what it gets.
      redaction: () => this.late?.redaction ?? (this.destination.tunnel === undefined ? bareRedaction : undefined),
    })
    this.sentry = new SentryOutbox({
      samplingContext: (span) => this.samplingContext(span),
      sendRaw: (body, category) => this.#sendEnvelope(body, category),
      isSampled,
      dropped: drops.count,
      factsOf: (span) => {
        const { environment, release } = this.destination.settings ?? {}
        return { environment, release, request: this.requestOf(span?.attributes) }
      },
    })
    this.adopt(settingsInDocument())
    // No server has written settings into such a document.
    if (typeof __PAGESPAN_EXPORTED__ === "undefined" || __PAGESPAN_EXPORTED__) this.adopt(settings)
  }

  /** Whether the page was left, or hidden just now, so that what ends must be sent at once. */
  get isOver(): boolean {
    return !this.isGathering && (this.hasLeft || (isHidden() && performance.now() < this.#settledAt))
  }

  /** `undefined` while the sampling decision may still change. */
  samplingContext(span: ReadableSpan): SamplingContext | undefined {
    return this.sampling.isSettled(span.spanContext()) ? (this.#contexts?.of(span) ?? this.#incoming(span)) : undefined
  }

  adopt(settings: PageSettings | undefined): void {
    if (settings === undefined) return
    const { dsn, environment, release, sampleRate = 1 } = settings
    this.destination.adopt(settings)
    this.sampling.learn(sampleRate)
    if (dsn === undefined) return
    const { username, hostname } = new URL(dsn)
    const project = { publicKey: username, environment, release, orgId: orgIdOfHost(hostname), sampleRate }
    this.#contexts = new SamplingContexts(project, (span) => this.#incoming(span))
  }

  /** The page is unloaded or hidden: a hidden page often is never shown again. */
  leave(): void {
    this.isGathering = false
    this.#settledAt = performance.now() + SETTLING_MS
    this.sentry.leave()
    this.spans.flush(true)
    this.late?.leave()
    // Where no request is left that could report the drops, an empty one does.
    if (this.destination.tunnel !== undefined && !this.drops.isEmpty)
      this.#sendSpans({ body: new TextEncoder().encode(formatTracesRequest([])), spans: 0 }, true)
  }

  /** Sends nothing from now on, and discards what waits. */
  stop(): void {
    this.sentry.stop()
    this.spans.stop()
    this.late?.stop()
    this.drops.clear()
  }

  /** The sampling context that the server sent with a trace that it began. */
  #incoming(span: TracedSpan): SamplingContext | undefined {
    return span.spanContext().traceId === this.#server?.parent.traceId ? this.#server.samplingContext : undefined
  }

  #sendSpans(batch: Batch, isLeaving: boolean): void {
    if (this.late !== undefined) return this.late.send(batch, isLeaving)
    const onDrop = (reason: DropReason) => this.drops.count(reason, "span", batch.spans)
    void this.#sendOnce(this.destination.otlpUrl, batch.body, "application/json", onDrop)
  }

  /** Sends an envelope of a page that is left before its Sentry client is loaded. */
  #sendEnvelope(body: string, category: DropCategory): void {
    void this.#sendOnce(this.destination.envelopeUrl, body, "text/plain;charset=UTF-8", (reason, status) => {
      // The tunnel counts what it refuses, except an envelope that is too large: its sender counts that.
      if (status === undefined || status === 413 || this.destination.tunnel === undefined)
        this.drops.count(reason, category, 1)
    })
  }

  async #sendOnce(
    url: string | undefined,
    body: Batch["body"] | string,
    type: string,
    onDrop: (reason: DropReason, status?: number) => void,
  ): Promise<void> {
    // There is no such destination: nothing is dropped on the way to it.
    if (url === undefined) return
    try {
      const post = this.late?.post ?? this.fetch
      const { ok, status } = await post(url, { method: "POST", body, headers: { "content-type": type } })
      if (!ok) onDrop("send_error", status)
    } catch {
      onDrop("network_error")
    }
  }
}
