import type { DropReason, DropStage } from "../../../protocol/records/drop.ts"

/** What each reason means and what to do about it. A reason without a text does not compile. */
export const REASON_TEXTS: Readonly<Record<DropReason, string>> = {
  before_send: "`beforeSend`, of `setFilters` or of a Sentry SDK, returned `null`",
  buffer_overflow: "a Sentry SDK had more to send than its buffer holds",
  callback_error: "`beforeSend` threw: the event was not sent",
  event_processor: "an event processor of a Sentry SDK returned `null`",
  ignored: "matched `ignoreErrors`, `denyUrls`, or nothing in `allowUrls`",
  internal_sdk_error: "an SDK, or a processor of ours, failed",
  invalid: "Sentry could not read it",
  network_error:
    "no connection, or none in time. In a page also: it was closed, or a blocker stood in the way (use the tunnel)",
  no_parent_span: "a page's request before its first root, or a span of a Sentry SDK, had no trace",
  queue_overflow: "more arrived than could be taken, or waited in a page than its queue holds",
  ratelimit_backoff: "Sentry asked to wait",
  sample_rate: "its trace was not chosen: `OTEL_TRACES_SAMPLER`",
  send_error: "the other side answered with an error",
  bad_encoding: "a body in a content encoding that is not known here, or that broke off",
  bad_media_type: "OTLP in neither protobuf nor JSON",
  consent_required: "the visitor has not agreed, or has withdrawn",
  expired: "older than `PAGESPAN_RETENTION`, too late for its root, or waited too long for delivery",
  foreign_dsn: "an envelope for another project than `SENTRY_DSN`, at the tunnel",
  foreign_host: "a `Host` that is not served: `PAGESPAN_ALLOWED_HOSTS`",
  foreign_origin: "a page of an origin that may not write: `PAGESPAN_ALLOWED_ORIGINS`",
  framework_signal: "a redirect or a 404 that Next throws as an error",
  limit_attributes: "more or longer attributes than are kept",
  limit_spans:
    "more spans than a transaction, a batch or a page may have, or more requests after the end of a root than are recorded",
  malformed: "not what its protocol says",
  noisy_error: "a browser's notice that nobody can act on: the filters of the app",
  not_found_trace: "the trace of a page that does not exist, which Sentry does not get",
  unsupported: "metrics over OTLP, which Pagespan does not store",
  own_traffic: "the delivery of telemetry itself",
  page_left: "the page was gone before it could be sent",
  store_unavailable: "the store could not take it, for longer than the journal holds",
  too_large: "larger than a request, an envelope or a record may be",
  unauthorized: "without the token: `PAGESPAN_TOKEN`",
}

export const STAGE_TEXTS: Readonly<Record<DropStage, string>> = {
  page: "in the page, told by it with its next delivery",
  server: "in the app's server",
  bridge: "on the way from OpenTelemetry to Sentry",
  tunnel: "at the app's own way out, `/monitoring`",
  handler: "at the inspector's handlers",
  queue: "between a handler and the store",
  store: "in the store",
  forward: "on the way from the inspector to another collector or to Sentry",
}
