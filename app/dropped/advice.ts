import type { DropReason } from "#otel/inspector/queries/records.ts"

export interface Advice {
  /** What happened, in a few words. */
  readonly what: string
  /** What to do about it, or why there is nothing to do. */
  readonly todo: string
}

/** One for every reason there is: a new reason without advice does not compile. */
export const ADVICE: Readonly<Record<DropReason, Advice>> = {
  before_send: {
    what: "The application's own beforeSend dropped it",
    todo: "Look at beforeSend and beforeSendTransaction in its Sentry options if you miss something.",
  },
  buffer_overflow: {
    what: "The SDK's buffer of events was full",
    todo: "It made more than it could hand on. Send less, or look for a loop that reports the same thing again and again.",
  },
  callback_error: {
    what: "A callback of the SDK's options threw",
    todo: "Fix the function that the application gave to its SDK: its own console names it.",
  },
  event_processor: {
    what: "An event processor of the application dropped it",
    todo: "Look at the event processors and integrations that the application adds to its SDK.",
  },
  ignored: {
    what: "It matched a list of things to ignore",
    todo: "Nothing, if that is meant. Otherwise shorten ignoreErrors, ignoreSpans or denyUrls.",
  },
  internal_sdk_error: {
    what: "The SDK failed, or gave a reason that is not known here",
    todo: "Update the SDK; the sample says which reason it gave.",
  },
  invalid: {
    what: "It was no valid record: a broken id, a time in the future, no name",
    todo: "Look at the sample. The usual causes are a clock that runs ahead and ids that are made by hand.",
  },
  network_error: {
    what: "The network failed on the way",
    todo: "Check that the destination can be reached from where it was sent. What a page loses on leaving is normal in small numbers.",
  },
  no_parent_span: {
    what: "A request outside of any page load or navigation made no span",
    todo: "Nothing: it has no root to belong to. Start a span around background work that should be seen.",
  },
  queue_overflow: {
    what: "Too many envelopes were under way at once",
    todo: "The sender is faster than its destination. Lower the sample rate, or make the destination faster.",
  },
  ratelimit_backoff: {
    what: "The destination asked to wait, so it was not sent",
    todo: "Sentry's quota or rate limit is reached: raise it, or sample less.",
  },
  sample_rate: {
    what: "Sampling left it out",
    todo: "Raise OTEL_TRACES_SAMPLER_ARG or the SDK's tracesSampleRate to see more.",
  },
  send_error: {
    what: "The destination refused it",
    todo: "Look at the answer in the sample: a wrong key, a project that is gone, or more than it takes at once.",
  },
  bad_encoding: {
    what: "It was compressed in a way that is not read here",
    todo: "Set the exporter's compression to gzip or to none.",
  },
  bad_media_type: {
    what: "Its content type is neither protobuf nor JSON",
    todo: "Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json, and see that no proxy changes the header.",
  },
  consent_required: {
    what: "The visitor had not agreed to be measured",
    todo: "Nothing. It is kept back until consent is given and dropped when it is refused.",
  },
  expired: {
    what: "It was older than what is kept",
    todo: "Raise PAGESPAN_RETENTION if that is too soon. Old spans that arrive late go at once.",
  },
  filter_failed: {
    what: "A filter of the application threw or returned no boolean; the record was sent",
    todo: "Fix the filter that the sample names. Nothing was dropped: each count is one failure.",
  },
  foreign_dsn: {
    what: "It named a DSN that is not the configured one",
    todo: "Set SENTRY_DSN to the DSN that the page uses, or take the other one out of the page.",
  },
  foreign_host: {
    what: "It was asked for under a host name that is not served",
    todo: "Add the name to PAGESPAN_ALLOWED_HOSTS if it is yours; otherwise it was rightly refused.",
  },
  foreign_origin: {
    what: "A page of another origin tried to use this address",
    todo: "Add its origin to PAGESPAN_ALLOWED_ORIGINS if its pages may send here.",
  },
  framework_signal: {
    what: "Next.js threw it to redirect or to show a not-found page",
    todo: "Nothing: it is control flow and no error.",
  },
  limit_attributes: {
    what: "It had more, longer or deeper attributes than are kept",
    todo: "The rest of the record arrived. Send fewer or shorter values; the limits are in the reference.",
  },
  limit_spans: {
    what: "A transaction or batch had more spans than fit, or a page made more requests after its root had ended than are recorded",
    todo: "Sentry takes 1,000 spans a transaction: make fewer small spans, or look at the OTLP side, which has all of them. Of requests after the end of a root 100 are recorded, and 10 that poll.",
  },
  malformed: {
    what: "It could not be read at all",
    todo: "The sender speaks another protocol or was cut off. Check the path and the exporter's version.",
  },
  noisy_error: {
    what: "A known noise of browsers and extensions",
    todo: "Nothing: it is not of the application. The list is in app/filters.",
  },
  not_found_trace: {
    what: "The trace of a not-found page was kept from Sentry",
    todo: "Nothing: scanners make many of them. OTLP has it.",
  },
  unsupported: {
    what: "It is of a kind that is not kept here",
    todo: "Metrics over OTLP have no screen here: set OTEL_METRICS_EXPORTER=none to spare the traffic.",
  },
  own_traffic: {
    what: "Pagespan's own requests for its own data",
    todo: "Nothing: tracing them would make ever more of them.",
  },
  page_left: {
    what: "The page was left before it could be sent",
    todo: "Nothing in small numbers. Browsers take only some 64 kB from a page that is going.",
  },
  store_unavailable: {
    what: "The store was away and its queue was full",
    todo: "See /health and the output of the start command: a full disk and a ClickHouse that cannot be reached are the usual causes.",
  },
  too_large: {
    what: "It was larger than is taken at once, or than is kept of one item",
    todo: "Send smaller batches: for OpenTelemetry, OTEL_BSP_MAX_EXPORT_BATCH_SIZE. Of an attachment the first 5 MiB are kept.",
  },
  unauthorized: {
    what: "It came without the token",
    todo: "Send PAGESPAN_TOKEN as a bearer token, or as the key of the DSN.",
  },
}

/** What is lost on purpose, which calls nobody to act. */
export const INTENDED: ReadonlySet<DropReason> = new Set([
  "before_send",
  "event_processor",
  "ignored",
  "no_parent_span",
  "sample_rate",
  "consent_required",
  "framework_signal",
  "noisy_error",
  "not_found_trace",
  "unsupported",
  "own_traffic",
])
