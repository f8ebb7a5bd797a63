import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { LossCategory, LossReason } from "../../model/loss.ts"
import type { PageSettings } from "../../model/page-settings.ts"
import { orgIdOfHost, type SamplingContext, SamplingContexts } from "../../sentry/sampling-context.ts"
import { pageClock } from "../clock.ts"
import type { PageError } from "../errors/page-error.ts"
import { settingsFromTunnel, settingsInDocument } from "../settings.ts"
import { BatchSender } from "./batch-sender.ts"
import { budgetedFetch } from "./budgeted-fetch.ts"
import { Destination } from "./destination.ts"
import { KeepaliveBudget } from "./keepalive-budget.ts"
import { loadOwn } from "./own-scripts.ts"
import type { PageLosses } from "./page-losses.ts"
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
  readonly #options: DeliveryOptions
  readonly #destination: Destination
  readonly #fetch: typeof globalThis.fetch
  readonly #sender: BatchSender
  #contexts: SamplingContexts | undefined
  #hasLeft = false

  constructor(options: DeliveryOptions) {
    const { losses } = options
    const budget = new KeepaliveBudget()
    this.#options = options
    this.#destination = new Destination(options.tunnel)
    this.#fetch = tellingFetch(
      budgetedFetch(options.nativeFetch, budget, () => this.#hasLeft),
      losses,
      () => this.#destination.tunnel,
    )
    this.#sender = new BatchSender({
      fetch: this.#fetch,
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
      lost: (spans) => losses.count("queue_overflow", "span", spans),
    })
    this.sentry = new SentryOutbox({
      samplingContext: (span) => this.samplingContext(span),
      sendRaw: (...envelope) => void this.#sendRaw(...envelope),
      lost: losses.count,
    })
    this.#adopt(settingsInDocument(document))
  }

  get settings(): PageSettings | undefined {
    return this.#destination.settings
  }

  samplingContext(span: ReadableSpan): SamplingContext | undefined {
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
      fetch: this.#fetch,
      traceOf: (error) => this.#traceOf(error),
      lost: this.#options.losses.add,
    })
    this.#options.losses.reportTo(client.reportLoss)
    this.sentry.connect(client)
  }

  /** The page is going away, or may be: a hidden one often is not shown again. */
  leave(reason: "page_left" | "document_hidden"): void {
    this.#hasLeft ||= reason === "page_left"
    this.sentry.leave()
    this.spans.flush(true)
    this.#sender.leave()
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

  #adopt(settings: PageSettings | undefined): void {
    if (settings === undefined) return
    this.#destination.learn(settings)
    if (settings.dsn === undefined) return
    const { username, hostname } = new URL(settings.dsn)
    const project = {
      publicKey: username,
      environment: settings.environment,
      release: settings.release,
      orgId: orgIdOfHost(hostname),
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
      const { ok, status } = await this.#fetch(url, { method: "POST", body, headers })
      // The tunnel counts its own refusals, but leaves this one to every sender.
      if (!ok && (status === 413 || this.#destination.tunnel === undefined)) lost("send_error")
    } catch {
      lost("network_error")
    }
  }
}
