import { defaultStackParser, eventFromException, eventFromMessage } from "@sentry/browser"
import {
  applySdkMetadata,
  type BaseTransportOptions,
  Client,
  type ClientOptions,
  createTransport,
  type Event,
  type EventHint,
  type ParameterizedString,
  type SeverityLevel,
  type Transport,
} from "@sentry/core"

/**
 * Sentry's client with what a page needs of `BrowserClient`: its shaping of errors and its reports of what was lost. The
 * rest of it is about sessions, breadcrumbs and who the visitor is, none of which is sent.
 */
export class PageClient extends Client {
  constructor(options: Omit<ClientOptions, "stackParser">) {
    const given = {
      ...options,
      stackParser: defaultStackParser,
      sendClientReports: true,
      // Nobody is told who the visitor is: without this Sentry takes the address that the request came from.
      _metadata: { sdk: { settings: { infer_ip: "never" as const } } },
    }
    applySdkMetadata(given, "browser")
    super(given)
  }

  override eventFromException(exception: unknown, hint?: EventHint): PromiseLike<Event> {
    return eventFromException(defaultStackParser, exception, hint)
  }

  override eventFromMessage(message: ParameterizedString, level?: SeverityLevel, hint?: EventHint): PromiseLike<Event> {
    return eventFromMessage(defaultStackParser, message, level, hint)
  }

  /** Tells Sentry what was lost since the last time. */
  reportLosses(): void {
    this._flushOutcomes()
  }
}

/**
 * Sentry's transport, with its rate limits and its bounded queue, over the page's own `fetch`: that decides what outlives
 * the page, by bytes over all of the page's requests.
 */
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
