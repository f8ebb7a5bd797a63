import type { DropReason } from "#otel/inspector/queries/records.ts"

export interface Advice {
  /** What happened. */
  readonly what: string
  /** What to do about it. */
  readonly todo: string
}

/** Advice for every reason; a new reason without advice does not compile. */
export const ADVICE: Readonly<Record<DropReason, Advice>> = {
  before_send: {
    what: "Dropped by the application's beforeSend",
    todo: "If you miss something, check beforeSend and beforeSendTransaction in your Sentry options.",
  },
  buffer_overflow: {
    what: "The event buffer of the SDK was full",
    todo: "The SDK produced more than it could send. Send less, or look for a loop that reports the same error repeatedly.",
  },
  callback_error: {
    what: "A callback in the SDK options threw",
    todo: "Fix the callback. The console of the application names it.",
  },
  event_processor: {
    what: "Dropped by a filter or an event processor of the application",
    todo: "No action for 404 pages, browser noise and repeated errors: the filters of Pagespan in another app drop them. Otherwise check the event processors of its SDK.",
  },
  ignored: {
    what: "Matched an ignore list",
    todo: "No action if intended. Otherwise shorten ignoreErrors, ignoreSpans or denyUrls.",
  },
  internal_sdk_error: {
    what: "The SDK failed, or reported an unknown reason",
    todo: "Update the SDK. The sample has the reason that it reported.",
  },
  invalid: {
    what: "Invalid record: malformed or missing ID, no start time, a time in the future, or an end before the start",
    todo: "Check the sample. Usual causes are a clock that runs ahead or was set back, and hand-made IDs.",
  },
  network_error: {
    what: "Network error during delivery",
    todo: "Check that the sender can reach the destination. A few drops while pages unload are normal.",
  },
  no_parent_span: {
    what: "A request outside any page load or navigation",
    todo: "No action: the request has no root span. Start a span around background work that you want to see.",
  },
  queue_overflow: {
    what: "Too many envelopes were in flight",
    todo: "The sender is faster than its destination. Lower the sample rate, or make the destination faster.",
  },
  ratelimit_backoff: {
    what: "Not sent because of a rate limit",
    todo: "Raise the quota or rate limit of your Sentry project, or sample less.",
  },
  sample_rate: {
    what: "Sampled out",
    todo: "Raise OTEL_TRACES_SAMPLER_ARG or tracesSampleRate to see more.",
  },
  send_error: {
    what: "Rejected by the destination",
    todo: "Check the response in the sample: a wrong key, a deleted project, or a request over the size limit.",
  },
  bad_encoding: {
    what: "Unsupported content encoding",
    todo: "Set the compression of the exporter to gzip or none.",
  },
  bad_media_type: {
    what: "Content type is neither protobuf nor JSON",
    todo: "Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json, and check that no proxy changes the header.",
  },
  expired: {
    what: "Too old: past the retention, too late for its root span, or queued for 24 h",
    todo: "In the store: raise PAGESPAN_RETENTION. While forwarding, or in a page: the destination was unreachable for a day.",
  },
  filter_failed: {
    what: "A filter of the application threw, or returned a value that is not a boolean; the record was sent",
    todo: "Fix the filter that the sample names. Nothing was dropped: each count is one failure.",
  },
  foreign_dsn: {
    what: "Sent to a DSN that is not configured",
    todo: "Set SENTRY_DSN to the DSN of the page, or remove the other DSN from the page.",
  },
  foreign_host: {
    what: "Requested with an unknown host name",
    todo: "If the host name is yours, add it to PAGESPAN_ALLOWED_HOSTS. While forwarding: add the private address to PAGESPAN_FORWARD_ALLOWED_ADDRESSES. Otherwise no action.",
  },
  foreign_identity: {
    what: "Resource attributes that a page may not set",
    todo: "No action: the tunnel sets the service itself, and the spans were sent. Set OTEL_SERVICE_NAME and SENTRY_RELEASE on the server.",
  },
  foreign_origin: {
    what: "Sent by a page of an origin that is not allowed",
    todo: "If its pages may send here, add the origin to PAGESPAN_ALLOWED_ORIGINS, or for the tunnel to PAGESPAN_TUNNEL_ORIGINS.",
  },
  framework_signal: {
    what: "Next.js control flow: a redirect or not-found signal",
    todo: "No action: it is not an error.",
  },
  limit_attributes: {
    what: "Attributes over the limit in number, length or depth",
    todo: "The rest of the record was ingested. Send fewer or shorter values; the reference lists the limits.",
  },
  limit_spans: {
    what: "More spans than a transaction or batch allows, or more requests after the end of a root span than are recorded",
    todo: "Sentry accepts 1,000 spans per transaction. Create fewer small spans, or use OTLP, which has all of them. After the end of a root span, 100 requests are recorded, and 10 polling ones.",
  },
  malformed: {
    what: "Not readable: truncated or another protocol",
    todo: "Check the endpoint path and the version of the exporter.",
  },
  noisy_error: {
    what: "Known noise of browsers and extensions",
    todo: "No action: the application did not cause it. docs/reference/app-filters.md lists them.",
  },
  not_found_trace: {
    what: "Trace of a 404 page, not sent to Sentry",
    todo: "No action: scanners cause many of them. OTLP has the trace.",
  },
  unsupported: {
    what: "Unsupported type of record",
    todo: "Pagespan does not show OTLP metrics. Set OTEL_METRICS_EXPORTER=none to save the traffic.",
  },
  page_left: {
    what: "The page unloaded before it was sent",
    todo: "No action in small numbers. Browsers send at most 64 KiB while a page unloads.",
  },
  rate_limited: {
    what: "More than the tunnel accepts from one client, or from all",
    todo: "If the clients are many visitors behind one address, set PAGESPAN_TRUSTED_PROXIES. Otherwise look for a page that sends in a loop.",
  },
  store_unavailable: {
    what: "The store was unavailable and its queue full",
    todo: "Check /health and the output of the start command. Usual causes are a full disk and an unreachable ClickHouse.",
  },
  too_large: {
    what: "Over a size limit of a request or an item",
    todo: "Send smaller batches; for OpenTelemetry, lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE. The first 5 MiB of an attachment are stored.",
  },
  unauthorized: {
    what: "Sent without the token",
    todo: "Send PAGESPAN_TOKEN as a bearer token, or as the key of the DSN.",
  },
}

/** Reasons that are configured or harmless. All others are unexpected. */
export const INTENDED: ReadonlySet<DropReason> = new Set([
  "before_send",
  "event_processor",
  "ignored",
  "no_parent_span",
  "sample_rate",
  "framework_signal",
  "noisy_error",
  "not_found_trace",
  "unsupported",
])
