import { logFilterFailure } from "../../filter-failure.ts"
import { type PageSettings, SETTINGS_MEDIA_TYPE } from "../../page-settings.ts"
import { spanRedaction } from "../../sentry/sanitize-attributes.ts"
import { pageClock } from "../clock.ts"
import { BatchSender } from "./batch-sender.ts"
import type { Delivery, Late } from "./delivery.ts"
import { OfflineDeliveries } from "./offline-deliveries.ts"
import type { PageSentry } from "./sentry-outbox.ts"
import { guardedFetch, isFromElsewhere } from "./tunnel-guard.ts"
import { Backoff, PATIENT_PAGE_BACKOFF } from "../../../protocol/transport/backoff.ts"
import type { PageRequest } from "./stored-deliveries.ts"

/**
 * The part of delivery that is loaded once the page is idle: the settings of the tunnel, retries, compression, the offline
 * queue and the Sentry client.
 */
export class LateDelivery implements Late {
  readonly #early: Delivery
  readonly #fetch: typeof globalThis.fetch
  readonly #sender: BatchSender
  readonly #offline: OfflineDeliveries

  constructor(early: Delivery) {
    const { destination, drops, signal } = early
    this.#early = early
    this.#fetch = guardedFetch(early.fetch, destination)
    this.#sender = new BatchSender({
      post: this.post,
      // Retries wait on the page's timeline, whatever happens to the system clock.
      clock: { ...pageClock, now: () => performance.now() },
      random: Math.random,
      url: () => destination.otlpUrl,
      dropped: (reason, spans) => drops.count(reason, "span", spans),
    })
    this.#offline = new OfflineDeliveries({
      fetch: this.#fetch,
      urlOf: (kind) => (kind === "otlp" ? destination.otlpUrl : destination.envelopeUrl),
      isTunnelled: this.#isTunnelled,
      hasLeft: () => early.hasLeft,
      dropped: drops.count,
      signal,
    })
  }

  readonly redaction = spanRedaction

  readonly #isTunnelled = () => this.#early.destination.tunnel !== undefined

  get waitingBytes(): number {
    return this.#sender.waitingBytes
  }

  readonly send: Late["send"] = (batch, isLeaving) => this.#sender.send(batch, isLeaving)

  readonly filterFailed: Late["filterFailed"] = (filter, error) => void logFilterFailure(filter, error)

  leave(): void {
    this.#sender.leave()
  }

  stop(): void {
    this.#sender.clear()
  }

  /**
   * Finds out where to deliver, and sends what waited.
   *
   * @param recordError gives the collector an error that no span has recorded.
   */
  async open(recordError: PageSentry["captureError"]): Promise<void> {
    const { destination, nativeFetch, sentry, signal, spans } = this.#early
    const { tunnel } = destination
    if (tunnel !== undefined && destination.settings === undefined) {
      const settings = await settingsFromTunnel(nativeFetch, tunnel, signal)
      // What waits stays in its bounded queues: the page does not know the DSN.
      if (settings === undefined) return void (destination.tunnel = undefined)
      this.#early.adopt(settings)
    }
    void this.#offline.send()
    // Without a collector spans only reach Sentry: they are not dropped.
    if (destination.otlpUrl) spans.release()
    else spans.stop()
    const { settings, envelopeUrl } = destination
    if (settings?.dsn === undefined || envelopeUrl === undefined) {
      sentry.stop()
      return sentry.connect(withoutSentry(recordError))
    }
    await this.#connectSentry(settings, envelopeUrl, recordError)
  }

  /** Sends, or stores what finds no network, which then counts as sent. */
  readonly post = async (url: string, request: PageRequest): Promise<Response> => {
    const store = async () => (await this.#offline.store(request)) && new Response(null, { status: 202 })
    try {
      // A page that is left offline has no time to wait for the failure.
      const isOffline = this.#early.hasLeft && !navigator.onLine
      const response = (isOffline && (await store())) || (await this.#fetch(url, request))
      if (response.ok) this.#offline.succeeded()
      return response
    } catch (error) {
      const stored = await store()
      if (stored === false) throw error
      return stored
    }
  }

  async #connectSentry(settings: PageSettings, url: string, recordError: PageSentry["captureError"]): Promise<void> {
    const { drops, loadOwn, requestOf, sentry, signal } = this.#early
    const { createPageSentry } = await loadOwn(() => import("./sentry-client.ts"))
    if (signal.aborted) return
    const client = createPageSentry({
      settings,
      url,
      fetch: this.post as typeof globalThis.fetch,
      traceOf: ({ span }) => span && { span, samplingContext: this.#early.samplingContext(span) },
      requestOf,
      isOver: () => this.#early.isOver,
      isTunnelled: this.#isTunnelled,
      stream: async () => (await loadOwn(() => import("../../sentry/span-stream.ts"))).sendSpanStream,
      recordError,
      dropped: drops.add,
    })
    drops.reportTo(client.reportDrop)
    sentry.connect(client)
  }
}

const none = () => {}

/** The page's Sentry client where nothing goes to Sentry. */
function withoutSentry(captureError: PageSentry["captureError"]): PageSentry {
  return { captureTransaction: none, captureError, reportDrop: none, flush: none, stop: none }
}

/**
 * Requests the settings from the tunnel, for a document that was rendered at build time. It retries with backoff and when the
 * browser is online again. Meanwhile telemetry waits in its bounded queues.
 *
 * @returns `undefined` once the signal has aborted, or where something else answers in the tunnel's place.
 */
export async function settingsFromTunnel(
  fetch: typeof globalThis.fetch,
  tunnel: string,
  signal: AbortSignal,
): Promise<PageSettings | undefined> {
  const backoff = new Backoff(PATIENT_PAGE_BACKOFF)
  while (!signal.aborted) {
    try {
      const headers = { "content-type": SETTINGS_MEDIA_TYPE }
      const response = await fetch(tunnel, { method: "POST", headers, redirect: "manual", signal })
      if (isFromElsewhere(response)) return undefined
      const settings = (await response.json()) as PageSettings
      if (response.ok) return settings
    } catch {
      // Offline, blocked, or a response that is not JSON.
    }
    await pause(backoff.failed(), signal)
  }
  return undefined
}

/** Resolves after the time, or when the browser is online again. */
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
