import type { PageSettings } from "../../page-settings.ts"
import { pageClock } from "../clock.ts"
import { BatchSender } from "./batch-sender.ts"
import type { Delivery, Later } from "./delivery.ts"
import { OfflineDeliveries } from "./offline/offline-deliveries.ts"
import type { PageRequest } from "./offline/stored-delivery.ts"
import { loadOwn } from "./own-scripts.ts"
import { settingsFromTunnel } from "./settings-from-tunnel.ts"

/**
 * What delivery gets once the page is idle: where to send to, further attempts, compression, what keeps a delivery while
 * there is no network, and the Sentry client.
 */
export class LateDelivery implements Later {
  readonly #early: Delivery
  readonly #sender: BatchSender
  readonly #offline: OfflineDeliveries

  constructor(early: Delivery) {
    const { destination, fetch, drops, signal } = early
    this.#early = early
    this.#sender = new BatchSender({
      post: this.post,
      clock: pageClock,
      random: Math.random,
      url: () => destination.otlpUrl,
      lost: (reason, spans) => drops.count(reason, "span", spans),
    })
    this.#offline = new OfflineDeliveries({
      fetch,
      urlOf: (kind) => (kind === "otlp" ? destination.otlpUrl : destination.envelopeUrl),
      isTunnelled: () => destination.tunnel !== undefined,
      lost: drops.count,
      signal,
    })
  }

  get waitingBytes(): number {
    return this.#sender.waitingBytes
  }

  readonly send: Later["send"] = (batch, isLeaving) => this.#sender.send(batch, isLeaving)

  leave(): void {
    this.#sender.leave()
  }

  stop(): void {
    this.#sender.clear()
  }

  /** Learns where to send, and sends what waited. */
  async open(): Promise<void> {
    const { destination, nativeFetch, sentry, signal, spans } = this.#early
    if (destination.settings === undefined && destination.tunnel !== undefined)
      this.#early.adopt(await settingsFromTunnel(nativeFetch, destination.tunnel, signal))
    if (signal.aborted) return
    void this.#offline.send()
    if (destination.otlpUrl !== undefined) spans.release()
    const { settings, envelopeUrl } = destination
    if (settings?.dsn === undefined || envelopeUrl === undefined) return sentry.close()
    await this.#connectSentry(settings, envelopeUrl)
  }

  /** Sends, or keeps what finds no network, which is then as good as sent. */
  readonly post = async (url: string, request: PageRequest): Promise<Response> => {
    const keep = async () => (await this.#offline.keep(request)) && new Response(null, { status: 202 })
    try {
      // A page that is left while it is offline has no time to find out.
      const isHopeless = this.#early.hasLeft && !navigator.onLine
      const response = (isHopeless && (await keep())) || (await this.#early.fetch(url, request))
      if (response.ok) this.#offline.succeeded()
      return response
    } catch (error) {
      const kept = await keep()
      if (kept === false) throw error
      return kept
    }
  }

  async #connectSentry(settings: PageSettings, url: string): Promise<void> {
    const { drops, sentry, signal } = this.#early
    const { createPageSentry } = await loadOwn(() => import("./sentry-client.ts"))
    if (signal.aborted) return
    const client = createPageSentry({
      settings,
      url,
      fetch: this.post as typeof globalThis.fetch,
      traceOf: ({ span }) => span && { span, samplingContext: this.#early.samplingContext(span) },
      lost: drops.add,
    })
    drops.reportTo(client.reportDrop)
    sentry.connect(client)
  }
}
