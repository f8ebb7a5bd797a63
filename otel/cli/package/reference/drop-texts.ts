import type { DropReason, DropStage } from "../../../protocol/records/drop.ts"

/** The meaning of each reason, and the setting to look at. A reason without a text does not compile. */
export const REASON_TEXTS: Readonly<Record<DropReason, string>> = {
  before_send: "`beforeSend`, of `setFilters` or of a Sentry SDK, returned `null`",
  buffer_overflow: "the send buffer of a Sentry SDK was full",
  callback_error: "`beforeSend` threw, so the event was not sent",
  event_processor:
    "an event processor of a Sentry SDK returned `null`, or, in a page, one of the app's scopes failed or an error was the same as the one before. The client reports of another app include what Pagespan's filters dropped there",
  filter_failed:
    "a filter of `setFilters` threw, or returned something that is not a boolean. The record was sent: the category is `internal`, and nothing was dropped",
  ignored: "matched `ignoreErrors` or `denyUrls`, or matched nothing in `allowUrls`",
  internal_sdk_error: "an SDK or one of Pagespan's processors failed",
  invalid:
    "the id of a span or a log is malformed, its times are missing or impossible, or Sentry could not parse the record",
  network_error:
    "the connection failed or timed out. In a page also: the page was closed, or a blocker stopped the request (use the tunnel)",
  no_parent_span: "a page's request before its first root, or a span of a Sentry SDK, had no trace",
  queue_overflow:
    "a queue was full, or too many exports were running: in a page, on a server, in the inspector or in the forwarder",
  ratelimit_backoff: "Sentry's rate limit was in force",
  sample_rate: "the sampler did not select its trace: `OTEL_TRACES_SAMPLER`",
  send_error: "the receiving server answered with an error, or rejected some of the spans (OTLP's partial success)",
  bad_encoding: "the content encoding is not supported, or the compressed body is truncated",
  bad_media_type: "OTLP in neither protobuf nor JSON",
  expired: "older than `PAGESPAN_RETENTION`, too late for its root, or queued for too long",
  foreign_dsn: "an envelope at the tunnel for a project other than `SENTRY_DSN`",
  foreign_host:
    "a `Host` that is not allowed: `PAGESPAN_ALLOWED_HOSTS`; at the stage `forward`, a private address of a destination: `PAGESPAN_FORWARD_ALLOWED_ADDRESSES`",
  foreign_identity:
    "resource attributes of a page's spans that are not a page's to set: the tunnel sets `service.name`, `service.version` and `deployment.environment.name` itself. The spans were sent",
  foreign_origin:
    "a page of an origin that may not send: `PAGESPAN_ALLOWED_ORIGINS`, at the tunnel `PAGESPAN_TUNNEL_ORIGINS`",
  framework_signal: "a redirect or a 404 that Next throws as an error, or a render that ended because the visitor left",
  limit_attributes: "a record has more attributes than the limit, or longer ones. The rest of the record is stored",
  limit_spans:
    "more spans than a transaction, a batch or a page may have, more errors than a batch has room for, or more requests after the end of a root than the limit",
  malformed: "the request or the record violates its protocol, or OTLP was sent to a path that takes none",
  noisy_error: "browser noise that nobody can act on: the filters of the app",
  not_found_trace: "the trace of a page that does not exist, which Sentry does not get",
  unsupported: "metrics over OTLP, which are accepted and not stored",
  page_left: "the page was closed before it could send",
  rate_limited: "one client, or all clients together, sent more to the tunnel than its budgets allow",
  store_unavailable: "the store was unavailable for longer than the journal could buffer",
  too_large: "larger than the limit for a request, an envelope or a record",
  unauthorized: "without the token: `PAGESPAN_TOKEN`",
}

export const STAGE_TEXTS: Readonly<Record<DropStage, string>> = {
  page: "in the page, which reports it with its next delivery",
  server: "in the app's server",
  bridge: "in the bridge from OpenTelemetry to Sentry",
  tunnel: "at the app's tunnel, `/monitoring`",
  ingest: "at the inspector's ingest endpoints",
  queue: "between an ingest endpoint and the store",
  store: "in the store",
  forward: "in the forwarder, between the inspector and another collector or Sentry",
}
