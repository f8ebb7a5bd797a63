import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { LossCategory, LossReason } from "../../model/loss.ts"
import type { PageSettings } from "../../model/page-settings.ts"
import { orgIdOfHost, type SamplingContext, SamplingContexts } from "../../sentry/sampling-context.ts"
import { formatTracesRequest } from "../../wire/otlp/write-readable-spans.ts"
import { pageClock } from "../clock.ts"
import type { PageError } from "../errors/page-error.ts"
import { settingsFromTunnel, settingsInDocument } from "../settings.ts"
import { BatchSender } from "./batch-sender.ts"
import { budgetedFetch } from "./budgeted-fetch.ts"
import { Destination } from "./destination.ts"
import { KeepaliveBudget } from "./keepalive-budget.ts"
import { loadOwn } from "./own-scripts.ts"
import type { PageLosses } from "./page-losses.ts"
import type { OfflineDeliveries } from "./offline/offline-deliveries.ts"
import type { PageRequest } from "./offline/kept-delivery.ts"
import { PageSampling } from "./page-sampling.ts"
import { SentryOutbox } from "./sentry-outbox.ts"
import { SpanOutbox } from "./span-outbox.ts"
import { tellingFetch } from "./telling-fetch.ts"
import { whenIdle } from "./when-idle.ts"

interface DeliveryOptions {
  /** The page's own `fetch`: telemetry must not make telemetry. */
  readonly nativeFetch: typeof globalThis.fetch
  /** The tunnel that this build has, where it has one. */
  readonly tunnel: string | undefined
  readonly losses: PageLosses
  readonly signal: AbortSignal
  /** The sampling context that the server sent with a trace that it began. */
  incoming(traceId: string): SamplingContext | undefined
}

/**
 * The way out of a page: Sentry envelopes and OTLP/JSON, through the tunnel where there is one. Both share one budget
 * of bytes that may outlive the page.
 */
export class Delivery {
  readonly spans: SpanOutbox
  readonly sentry: SentryOutbox
  readonly sampling = new PageSampling()
  readonly #options: DeliveryOptions
  readonly #destination: Destination
  readonly #fetch: typeof globalThis.fetch
  readonly #sender: BatchSender
  #offline: OfflineDeliveries | undefined
  #contexts: SamplingContexts | undefined
  #hasLeft = false

  constructor(options: DeliveryOptions) {
    const { losses } = options
    const budget = new KeepaliveBudget()
    this.#options = options
    this.#destination = new Destination(options.tunnel)
    const budgeted = budgetedFetch(options.nativeFetch, budget, () => this.#hasLeft && navigator.onLine)
    this.#fetch = tellingFetch(budgeted, losses, () => this.#destination.tunnel)
    this.#sender = new BatchSender({
      post: this.#post,
      clock: pageClock,
      random: Math.random,
      url: () => this.#destination.otlpUrl,
      lost: (reason, spans) => losses.count(reason, "span", spans),
    })
    this.spans = new SpanOutbox({
      clock: pageClock,
      send: (batch, isLeaving) => this.#sender.send(batch, isLeaving),
      isLeaving: () => this.#hasLeft || document.visibilityState === "hidden",
      keepaliveRoom: () => budget.room,
      waitingBytes: () => this.#sender.waitingBytes,
      isSampled: (span) => this.sampling.isSampled(span.spanContext()),
      lost: (spans) => losses.count("queue_overflow", "span", spans),
    })
    this.sentry = new SentryOutbox({
      samplingContext: (span) => this.samplingContext(span),
      sendRaw: (...envelope) => void this.#sendRaw(...envelope),
      isSampled: (span) => this.sampling.isSampled(span.spanContext()),
      lost: losses.count,
    })
    this.#adopt(settingsInDocument(document))
  }

  get settings(): PageSettings | undefined {
    return this.#destination.settings
  }

  samplingContext(span: ReadableSpan): SamplingContext | undefined {
    if (!this.sampling.isSettled(span.spanContext())) return undefined
    return this.#contexts?.of(span) ?? this.#options.incoming(span.spanContext().traceId)
  }

  /** Learns where to send, when the page has nothing better to do, and sends what waited. */
  async open(): Promise<void> {
    await whenIdle()
    const { tunnel, signal } = this.#options
    if (this.settings === undefined && tunnel !== undefined && !signal.aborted)
      this.#adopt(await settingsFromTunnel(this.#options.nativeFetch, tunnel))
    if (signal.aborted) return
    if (this.#destination.otlpUrl !== undefined) this.spans.release()
    const settings = this.settings
    if (settings?.dsn === undefined) return this.sentry.close()
    const { createPageSentry } = await loadOwn(() => import("./sentry-client.ts"))
    if (signal.aborted) return
    const client = createPageSentry({
      settings: { ...settings, dsn: settings.dsn },
      fetch: this.#post as typeof globalThis.fetch,
      traceOf: (error) => this.#traceOf(error),
      lost: this.#options.losses.add,
    })
    this.#options.losses.reportTo(client.reportLoss)
    this.sentry.connect(client)
  }

  /** To be told before what ends with the page ends: nothing that it sends from now on can wait for an answer. */
  beginLeaving(reason: "page_left" | "document_hidden"): void {
    this.#hasLeft ||= reason === "page_left"
  }

  /** The page is going away, or may be: a hidden one often is not shown again. */
  leave(): void {
    this.sentry.leave()
    this.spans.flush(true)
    this.#sender.leave()
    this.#tellLosses()
  }

  /** The page has come back. */
  resume(): void {
    this.#hasLeft = false
  }

  /** Nothing goes out any more, and nothing is kept. */
  stop(): void {
    this.sentry.stop()
    this.spans.stop()
    this.#sender.clear()
    this.#options.losses.clear()
  }

  /** What nothing is left to tell with, because all was lost, is told by itself. */
  #tellLosses(): void {
    const { tunnel } = this.#destination
    if (tunnel === undefined || this.#options.losses.isEmpty) return
    const request = { method: "POST", body: formatTracesRequest([]), headers: { "content-type": "application/json" } }
    this.#fetch(tunnel, request).catch(() => undefined)
  }

  /** From now on what finds no network is kept. What keeps it is loaded while there is one to load it by. */
  keepBy(Offline: typeof OfflineDeliveries): void {
    const { losses, signal } = this.#options
    this.#offline = new Offline({
      fetch: this.#fetch,
      urlOf: (kind) => (kind === "otlp" ? this.#destination.otlpUrl : this.#destination.envelopeUrl),
      isTunnelled: () => this.#destination.tunnel !== undefined,
      lost: losses.count,
      signal,
    })
    void this.#offline.send()
  }

  /** Sends, or keeps what finds no network, which is then as good as sent. */
  readonly #post = async (url: string, request: PageRequest): Promise<Response> => {
    const keep = async () => (await this.#offline?.keep(request)) === true && new Response(null, { status: 202 })
    try {
      // A page that is left while it is offline has no time to find out.
      const response = (this.#hasLeft && !navigator.onLine && (await keep())) || (await this.#fetch(url, request))
      if (response.ok) this.#offline?.succeeded()
      return response
    } catch (error) {
      const kept = await keep()
      if (kept === false) throw error
      return kept
    }
  }

  #adopt(settings: PageSettings | undefined): void {
    if (settings === undefined) return
    this.#destination.learn(settings)
    this.sampling.learn(settings.sampleRate ?? 1)
    if (settings.dsn === undefined) return
    const { username, hostname } = new URL(settings.dsn)
    const project = {
      publicKey: username,
      environment: settings.environment,
      release: settings.release,
      orgId: orgIdOfHost(hostname),
      ...(settings.sampleRate === undefined ? {} : { sampleRate: settings.sampleRate }),
    }
    this.#contexts = new SamplingContexts(project, (span) => this.#options.incoming(span.spanContext().traceId))
  }

  #traceOf({ span }: PageError) {
    return span === undefined ? undefined : { span, samplingContext: this.samplingContext(span) }
  }

  /** The page is left before there is a Sentry client. */
  async #sendRaw(body: string, category: LossCategory): Promise<void> {
    const url = this.#destination.envelopeUrl
    const lost = (reason: LossReason) => this.#options.losses.count(reason, category, 1)
    if (url === undefined) return lost("network_error")
    try {
      const headers = { "content-type": "text/plain;charset=UTF-8" }
      const { ok, status } = await this.#post(url, { method: "POST", body, headers })
      // The tunnel counts its own refusals, but leaves this one to every sender.
      if (!ok && (status === 413 || this.#destination.tunnel === undefined)) lost("send_error")
    } catch {
      lost("network_error")
    }
  }
}
