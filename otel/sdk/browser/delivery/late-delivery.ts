import { type PageSettings, SETTINGS_MEDIA_TYPE } from "../../page-settings.ts"
import { pageClock } from "../clock.ts"
import { loadOwn } from "../own-scripts.ts"
import { BatchSender } from "./batch-sender.ts"
import type { Delivery, Late } from "./delivery.ts"
import { OfflineDeliveries } from "./offline-deliveries.ts"
import { backoffMs, MINUTES_BACKOFF_MS } from "./retry-policy.ts"
import type { PageRequest } from "./stored-deliveries.ts"

/**
 * What delivery gets once the page is idle: where to send to, further attempts, compression, what keeps a delivery while
 * there is no network, and the Sentry client.
 */
export class LateDelivery implements Late {
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

  readonly send: Late["send"] = (batch, isLeaving) => this.#sender.send(batch, isLeaving)

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

/**
 * The settings from the tunnel, for a document that was made at build time. A request that fails is made again, with a
 * growing wait or when the browser is online again; meanwhile what is to be sent waits in its bounded queues.
 *
 * @returns `undefined` only once the signal has aborted.
 */
export async function settingsFromTunnel(
  fetch: typeof globalThis.fetch,
  tunnel: string,
  signal: AbortSignal,
): Promise<PageSettings | undefined> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      const response = await fetch(tunnel, { method: "POST", headers: { "content-type": SETTINGS_MEDIA_TYPE }, signal })
      const settings = (await response.json()) as PageSettings
      if (response.ok) return settings
    } catch {
      // Offline, blocked, or an answer that is not JSON.
    }
    await pause(backoffMs(attempt, Math.random, MINUTES_BACKOFF_MS), signal)
  }
  return undefined
}

/** Resolves after the time, or when the browser says that it is online again. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      window.removeEventListener("online", wake)
      pageClock.clearTimeout(timer)
      resolve()
    }
    const timer = pageClock.setTimeout(wake, milliseconds)
    window.addEventListener("online", wake, { signal })
  })
}
