import type { EnvelopeFormat } from "./envelope-format.ts"

export { SETTINGS_MEDIA_TYPE } from "../protocol/page-settings.ts"

/**
 * The part of the server's configuration that a page needs. It reaches the page at run time: in a `<meta>` element of
 * dynamic HTML, or, if the HTML was rendered at build time, as the tunnel's response to `SETTINGS_MEDIA_TYPE`. It holds no
 * secret: the public key of a DSN is meant for browsers.
 */
export interface PageSettings {
  /** The page's `service.name`. */
  readonly service: string
  /** `deployment.environment.name`, and Sentry's environment. */
  readonly environment: string
  /** `service.version`, and Sentry's release. */
  readonly release?: string
  /** Share of the traces started by the page that are sampled, 0 to 1. Default: 1. */
  readonly sampleRate?: number
  /** Format of the page's spans for Sentry. Default: `auto`. */
  readonly spans?: EnvelopeFormat
  /** Absent if Sentry is off. */
  readonly dsn?: string
  /** Same-origin path that accepts envelopes and OTLP/JSON. Without it the page posts envelopes to the DSN's ingest endpoint. */
  readonly tunnel?: string
  /** Absolute URL of an OTLP/HTTP traces endpoint on loopback, for pages without a tunnel in development. */
  readonly otlp?: string
}

/** Name of the `<meta>` element that carries the settings. */
export const PAGE_SETTINGS_KEY = "pagespan"

/** Keys that the server's propagator may write into dynamic HTML, for Next's `clientTraceMetadata`. */
export const HTML_TRACE_KEYS: readonly string[] = ["traceparent", "sentry-trace", "baggage", PAGE_SETTINGS_KEY]
