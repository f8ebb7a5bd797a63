import { dedupeIntegration, defaultStackParser, eventFromException, exceptionFromError } from "@sentry/browser"
import {
  applyAggregateErrorsToEvent,
  type BaseTransportOptions,
  checkOrSetAlreadyCaught,
  type Client,
  type ClientOptions,
  createClientReportEnvelope,
  createTransport,
  type Envelope,
  type Event,
  type EventDropReason,
  type EventHint,
  type EventProcessor,
  getDebugImagesForResources,
  type Outcome,
  SDK_VERSION,
  type Transport,
} from "@sentry/core"
import { LINKED_ERROR_LIMIT, QUEUED_ENVELOPE_LIMIT } from "../../../protocol/limits.ts"

type Category = Outcome["category"]

interface PageClientOptions {
  /** Where envelopes are posted to. */
  readonly url: string
  readonly environment: string
  readonly release: string | undefined
  /** Sentry's transport, or one around it. */
  transport(options: BaseTransportOptions): Transport
  newEventId(): string
}

/** What an event says of who made it. Nobody is told who the visitor is: else Sentry takes the request's address for it. */
const SDK = {
  name: "sentry.javascript.browser",
  version: SDK_VERSION,
  packages: [{ name: "npm:@sentry/browser", version: SDK_VERSION }],
  settings: { infer_ip: "never" },
} as const

/**
 * Sentry's own parts put together for a page: its reading of errors and stacks, its transport with rate limits and a
 * bounded queue, its reports of what was lost. The whole client, with scopes, sessions, spans and what else a page of ours
 * has no use for, is twelve kilobytes more. What shares code with a server sees it as a `Client`.
 */
export class PageClient {
  readonly #options: PageClientOptions
  readonly #transport: Transport
  readonly #processors: EventProcessor[] = []
  readonly #dedupe = dedupeIntegration()
  readonly #outcomes = new Map<string, Outcome>()
  #isEnabled = true

  constructor(options: PageClientOptions) {
    this.#options = options
    this.#transport = options.transport({
      url: options.url,
      bufferSize: QUEUED_ENVELOPE_LIMIT,
      recordDroppedEvent: this.recordDroppedEvent.bind(this),
    })
  }

  /** As the code sees it that pages and servers share. */
  get shared(): Client {
    return this as unknown as Client
  }

  getOptions(): Pick<ClientOptions, "environment" | "release"> {
    const { environment, release } = this.#options
    return { environment, ...(release === undefined ? {} : { release }) }
  }

  getSdkMetadata() {
    return { sdk: SDK }
  }

  addEventProcessor(processor: EventProcessor): void {
    this.#processors.push(processor)
  }

  /** @param said what the event says beside what is read from the error. */
  captureException(thrown: unknown, hint: EventHint, said: Event): void {
    // Thrown on and seen again, by a boundary and by the window, or told already by a client that the app itself has.
    if (checkOrSetAlreadyCaught(thrown)) return
    eventFromException(defaultStackParser, thrown, hint).then((event) => this.captureEvent({ ...event, ...said }, hint))
  }

  captureEvent(given: Event, hint: EventHint = {}): void {
    const event = {
      event_id: this.#options.newEventId(),
      timestamp: Date.now() / 1e3,
      ...this.getOptions(),
      ...given,
      sdk: SDK,
    } as unknown as Event
    if (event.type === undefined) {
      completeError(event, hint)
      if (this.#dedupe.processEvent?.(event, hint, this.shared) === null)
        return this.recordDroppedEvent("event_processor", "error")
    }
    this.#process(event, hint, this.#processors)
  }

  sendEnvelope(envelope: Envelope): PromiseLike<unknown> {
    return this.#isEnabled ? this.#transport.send(envelope) : Promise.resolve()
  }

  recordDroppedEvent(reason: EventDropReason, category: Category, count = 1): void {
    const key = `${reason}:${category}`
    this.#outcomes.set(key, { reason, category, quantity: count + (this.#outcomes.get(key)?.quantity ?? 0) })
  }

  /** Tells Sentry what was lost since the last time. */
  reportDrops(): void {
    if (this.#outcomes.size === 0) return
    const report = createClientReportEnvelope([...this.#outcomes.values()])
    this.#outcomes.clear()
    this.#send(report)
  }

  stop(): void {
    this.#isEnabled = false
  }

  /** Waits only where a processor does: an error while a page is left must not wait for another turn. */
  #process(event: Event | null, hint: EventHint, [next, ...rest]: readonly EventProcessor[]): void {
    // A transaction that a filter drops never gets here.
    if (event === null) return this.recordDroppedEvent("event_processor", "error")
    if (next === undefined) return this.#sendEvent(event)
    const answer = next(event, hint)
    if (answer !== null && "then" in answer) answer.then((waited) => this.#process(waited, hint, rest))
    else this.#process(answer, hint, rest)
  }

  #sendEvent({ sdkProcessingMetadata, ...event }: Event): void {
    const header = {
      event_id: event.event_id,
      sent_at: new Date().toISOString(),
      sdk: { name: SDK.name, version: SDK.version },
      trace: sdkProcessingMetadata?.dynamicSamplingContext,
    }
    this.#send([header, [[{ type: event.type ?? "event" }, event]]] as unknown as Envelope)
  }

  #send(envelope: Envelope): void {
    // What fails to be sent is counted by the transport.
    this.sendEnvelope(envelope).then(undefined, () => undefined)
  }
}

/** Sentry's transport over the page's own `fetch`, which decides what outlives the page by bytes over all of its requests. */
export function pageTransport(options: BaseTransportOptions, fetch: typeof globalThis.fetch): Transport {
  return createTransport(options, async ({ body }) => {
    const request = { method: "POST", body: body as BodyInit, referrerPolicy: "strict-origin" } as const
    const { status, headers } = await fetch(options.url, request)
    return {
      statusCode: status,
      headers: {
        "x-sentry-rate-limits": headers.get("x-sentry-rate-limits"),
        "retry-after": headers.get("retry-after"),
      },
    }
  })
}

/** How it came to be seen, its causes, and which source maps its scripts have. */
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
