import type { EnvelopeFormat } from "./envelope-format.ts"

/**
 * What a page must know of the server's configuration. It reaches the page at run time: in a `<meta>` element of
 * dynamic HTML, or, where the HTML was made at build time, as the tunnel's answer to `SETTINGS_MEDIA_TYPE`.
 * Nothing in it is secret: a DSN's public key is made to be seen by browsers.
 */
export interface PageSettings {
  /** The page's `service.name`. */
  readonly service: string
  readonly environment: string
  readonly release?: string
  /** Share of the traces that begin in the page which are sampled, 0 to 1. None: all. */
  readonly sampleRate?: number
  /** Form of the page's spans for Sentry. None: `auto`. */
  readonly spans?: EnvelopeFormat
  /** None: Sentry is off. */
  readonly dsn?: string
  /** Same-origin path that takes envelopes and OTLP/JSON. None: the page posts envelopes to the DSN's ingest endpoint. */
  readonly tunnel?: string
  /** Absolute URL of an OTLP/HTTP traces endpoint on loopback, for pages without a tunnel in development. */
  readonly otlp?: string
}

/** Name of the `<meta>` element that carries the settings. */
export const PAGE_SETTINGS_KEY = "pagespan"

/** What the server's propagator may write into dynamic HTML, for Next's `clientTraceMetadata`. */
export const HTML_TRACE_KEYS: readonly string[] = ["traceparent", "sentry-trace", "baggage", PAGE_SETTINGS_KEY]

/** A `POST` of an empty body with this type to the tunnel is answered with the settings as JSON. */
export const SETTINGS_MEDIA_TYPE = "application/vnd.pagespan.settings+json"
