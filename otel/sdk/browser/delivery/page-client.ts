import { defaultStackParser, exceptionFromError } from "@sentry/browser"
import {
  applyAggregateErrorsToEvent,
  checkOrSetAlreadyCaught,
  type Client,
  type Envelope,
  type Event,
  type EventDropReason,
  type EventHint,
  type EventProcessor,
  getDebugImagesForResources,
  type Outcome,
  SDK_VERSION,
} from "@sentry/core"
import { version } from "react"
import { LINKED_ERROR_LIMIT } from "../../../protocol/limits.ts"
import { normalized } from "../../sentry/sanitize-payload.ts"
import { eventFromThrown } from "../errors/event-from-thrown.ts"
import { PageTransport, type PageTransportOptions } from "./page-transport.ts"

type Category = Outcome["category"]

interface PageClientOptions extends Omit<PageTransportOptions, "lost"> {
  readonly environment: string
  readonly release: string | undefined
  newEventId(): string
}

/** The SDK that an event names. `infer_ip`: otherwise Sentry records the IP address of the request as the visitor's. */
const SDK = {
  name: "sentry.javascript.browser",
  version: SDK_VERSION,
  packages: [{ name: "npm:@sentry/browser", version: SDK_VERSION }],
  settings: { infer_ip: "never" },
} as const

/**
 * A Sentry client for a page, built from Sentry's own parts: parsing of errors and stacks, linked errors, debug ids. `BrowserClient` adds
 * scopes, sessions and spans that a page does not use, 8.5 kB (docs/decisions/0005). Code shared with the server sees it as a `Client`.
 */
export class PageClient {
  readonly #options: PageClientOptions
  readonly #transport: PageTransport
  readonly #processors: EventProcessor[] = []
  readonly #outcomes = new Map<string, Outcome>()
  /** What is compared of the last error. */
  #last: string | undefined
  #isEnabled = true

  constructor(options: PageClientOptions) {
    this.#options = options
    // Not bound: `watchClientDrops` replaces the method.
    this.#transport = new PageTransport({
      ...options,
      lost: (reason, category, count) => this.recordDroppedEvent(reason, category, count),
    })
  }

  /** The client as the code shared with the server sees it. */
  get shared(): Client {
    return this as unknown as Client
  }

  getOptions(): Pick<PageClientOptions, "environment" | "release"> {
    const { environment, release } = this.#options
    return { environment, release }
  }

  getSdkMetadata() {
    return { sdk: SDK }
  }

  addEventProcessor(processor: EventProcessor): void {
    this.#processors.push(processor)
  }

  /** @param said fields of the event beside those read from the error. */
  captureException(thrown: unknown, hint: EventHint, said: Event): void {
    // Rethrown and seen twice, by a boundary and by the window; or reported by a client of the app itself.
    if (checkOrSetAlreadyCaught(thrown)) return
    this.captureEvent({ ...eventFromThrown(thrown), ...said }, hint)
  }

  captureEvent(given: Event, hint: EventHint = {}): void {
    const event = {
      event_id: this.#options.newEventId(),
      timestamp: Date.now() / 1e3,
      ...this.getOptions(),
      ...given,
      platform: "javascript",
      contexts: { ...given.contexts, react: { version } },
      sdk: SDK,
    } as unknown as Event
    if (event.type === undefined) {
      completeError(event, hint)
      if (this.#isRepeated(event)) return this.recordDroppedEvent("event_processor", "error")
    }
    this.#process(event, hint, this.#processors, event)
  }

  async sendEnvelope(envelope: Envelope): Promise<void> {
    if (this.#isEnabled) await this.#transport.send(envelope)
  }

  recordDroppedEvent(reason: EventDropReason, category: Category, count = 1): void {
    const key = `${reason}:${category}`
    this.#outcomes.set(key, { reason, category, quantity: count + (this.#outcomes.get(key)?.quantity ?? 0) })
  }

  /** Sends a client report of the drops since the last one. */
  reportDrops(): void {
    if (this.#outcomes.size === 0) return
    const report = { timestamp: Date.now() / 1e3, discarded_events: [...this.#outcomes.values()] }
    this.#outcomes.clear()
    void this.sendEnvelope([{}, [[{ type: "client_report" }, report]]])
  }

  stop(): void {
    this.#isEnabled = false
  }

  /** Whether the error before was the same, by what Sentry's `dedupeIntegration` compares. */
  #isRepeated({ message, fingerprint, exception }: Event): boolean {
    const [first] = exception?.values ?? []
    const last = this.#last
    this.#last = JSON.stringify([message, fingerprint, first?.type, first?.value, first?.stacktrace?.frames])
    return this.#last === last && Boolean(message || first)
  }

  /** Synchronous unless a processor is not: an error while the page is left must not wait for a microtask. */
  #process(event: Event | null, hint: EventHint, [next, ...rest]: readonly EventProcessor[], given: Event): void {
    if (event === null) return this.#drop("event_processor", given)
    if (next === undefined) return this.#sendEvent(event)
    const answer = next(event, hint)
    if (answer !== null && "then" in answer)
      answer
        .then((waited) => this.#process(waited, hint, rest, given))
        .then(undefined, () => this.#drop("internal_sdk_error", given))
    else this.#process(answer, hint, rest, given)
  }

  #drop(reason: EventDropReason, { type, spans }: Event): void {
    this.recordDroppedEvent(reason, type === undefined ? "error" : "transaction")
    if (spans) this.recordDroppedEvent(reason, "span", spans.length + 1)
  }

  #sendEvent({ sdkProcessingMetadata, extra, user, contexts, ...event }: Event): void {
    const header = {
      event_id: event.event_id,
      sent_at: new Date().toISOString(),
      sdk: { name: SDK.name, version: SDK.version },
      trace: sdkProcessingMetadata?.dynamicSamplingContext,
    }
    const payload = {
      ...event,
      extra: normalized(extra),
      user: normalized(user),
      contexts: { ...normalized(contexts), trace: contexts?.trace },
    }
    void this.sendEnvelope([header, [[{ type: event.type ?? "event" }, payload]]] as unknown as Envelope)
  }
}

/** Adds the mechanism, the causes and the debug ids of the scripts on the stack. */
function completeError(event: Event, hint: EventHint): void {
  const [exception] = event.exception?.values ?? []
  if (exception !== undefined && hint.mechanism !== undefined)
    exception.mechanism = { type: "generic", ...exception.mechanism, ...hint.mechanism }
  applyAggregateErrorsToEvent(exceptionFromError, defaultStackParser, "cause", LINKED_ERROR_LIMIT, event, hint)
  const frames = event.exception?.values?.flatMap(({ stacktrace }) => stacktrace?.frames ?? []) ?? []
  const scripts = new Set(frames.map(({ filename }) => filename).filter((name) => name !== undefined))
  const images = getDebugImagesForResources(defaultStackParser, [...scripts])
  if (images.length > 0) event.debug_meta = { images }
}
