/**
 * Every limit of the product, with the source of its number. Times are milliseconds, sizes are bytes.
 */

/** A page root ends after this long without activity. Sentry's `idleTimeout`. */
export const IDLE_TIMEOUT_MS = 1_000
/** The maximum duration of a page root. Sentry's `finalTimeout`. */
export const FINAL_TIMEOUT_MS = 30_000
/** The maximum time for which an open child keeps its root open. Sentry's `childSpanTimeout`. */
export const CHILD_TIMEOUT_MS = 15_000

/**
 * Recorded requests after the end of a page root. Sentry counts each as a separate span. A tenth of a root's limit is more than
 * a visitor causes on most pages before the next navigation.
 */
export const LATE_REQUEST_LIMIT = 100
/** The polls among them: enough to see the interval and the results. A page that polls every second for 8 h would send 28,800. */
export const LATE_POLL_LIMIT = 10

/** The maximum number of a transaction's children in Sentry (`MAX_SPAN_COUNT`), without the root. */
export const TRANSACTION_SPAN_LIMIT = 1_000
/** Relay drops an envelope with more streamed spans, root included (`MAX_SPANS_PER_ENVELOPE`). */
export const STREAMED_SPAN_LIMIT = 1_000
/** The maximum size of an envelope of streamed spans, by the estimate of Sentry's SDK (`MAX_TRACE_WEIGHT_IN_BYTES`). */
export const STREAMED_BYTES_LIMIT = 5_000_000
/** The same for a page, whose envelope must fit the tunnel (`PAGE_BODY_LIMIT_BYTES`) though a character may take three bytes. */
export const PAGE_STREAMED_BYTES_LIMIT = 600_000
/** The maximum number of errors in a chain of causes, as in Sentry's `linkedErrorsIntegration`. */
export const LINKED_ERROR_LIMIT = 5
/** Requests that a Sentry transport may have in flight. Its browser transport lowers this to 40. */
export const QUEUED_ENVELOPE_LIMIT = 64

/** Spans that a page queues for delivery. The default of OpenTelemetry's `OTEL_BSP_MAX_QUEUE_SIZE`. */
export const PAGE_QUEUE_SPAN_LIMIT = 2_048
/** Bytes of spans that a page queues for delivery. */
export const PAGE_QUEUE_BYTES_LIMIT = 1024 * 1024
/**
 * Characters of the message and of the stack of a page's exception event. A root larger than `PAGE_QUEUE_BYTES_LIMIT` is dropped,
 * and has one event for each error. V8's stacks have ten frames by default, of some hundred characters each.
 */
export const EXCEPTION_TEXT_LIMIT = 16 * 1024
/**
 * Bytes of a page's body at the tunnel, before inflation and after it. Envelopes: the default of Relay for one event or
 * transaction (`max_event_size`). Spans: twice what a page holds, for what JSON escapes.
 */
export const PAGE_BODY_LIMIT_BYTES = { envelope: 1024 * 1024, spans: 2 * PAGE_QUEUE_BYTES_LIMIT } as const
/** Deliveries that a page stores while it is offline. Sentry's offline transport stores 30 envelopes (`maxQueueSize`), and each may come with a batch of OTLP. */
export const OFFLINE_DELIVERY_LIMIT = 60
/** Bytes of deliveries that a page stores while it is offline: the size that the HTML standard suggests for an origin's local storage. */
export const OFFLINE_BYTES_LIMIT = 5 * 1024 * 1024
/** The maximum age of a stored delivery: 24 h, as in Relay and in the forwarder. */
export const OFFLINE_AGE_LIMIT_MS = 24 * 60 * 60 * 1_000
/** Bytes that all `keepalive` requests of a page may have in flight: the 64 KiB of the Fetch standard, minus a margin for headers. */
export const KEEPALIVE_BUDGET_BYTES = 60 * 1024
/** `keepalive` requests that a page may have in flight: Chromium's 10 per process, minus one for the app. */
export const KEEPALIVE_REQUEST_LIMIT = 9

/** A request body, before and after inflation: the default of the OpenTelemetry Collector's receiver. OTLP requires a limit and recommends 64 MiB. */
export const BODY_LIMIT_BYTES = 20 * 1024 * 1024
/** An OTLP/gRPC message, before and after inflation: the default of gRPC and of the Collector. */
export const GRPC_MESSAGE_LIMIT_BYTES = 4 * 1024 * 1024
/** A body larger than `INFLATE_RATIO_FREE_BYTES` may inflate to this many times its size. */
export const INFLATE_RATIO_LIMIT = 100
export const INFLATE_RATIO_FREE_BYTES = 1024 * 1024
/** Spans in one request. Its 20 MiB could contain a million minimal spans, which take about 2 kB each in memory. */
export const INGEST_SPAN_LIMIT = 100_000
/** How far ahead of the receiver's clock a record may start: more than the largest time zone error. */
export const FUTURE_LIMIT_MS = 24 * 60 * 60 * 1_000
/** Acknowledged spans that are not stored yet. They wait in the journal, whose 512 MiB hold about as many. */
export const WAITING_SPAN_LIMIT = 1_000_000
/** The spans among them that also wait in memory, encoded, about 30 MB: the batch that is being inserted, and the next. */
export const HELD_SPAN_LIMIT = 40_000
/**
 * A batch is inserted when it has this many spans, or is this old. Measured CPU time of the engine per span: 816 µs in batches of
 * 20, 35 µs in batches of 2,000, 20 µs in batches of 10,000, 15 µs in batches of 20,000, which is the maximum of one insert.
 */
export const STORE_BATCH_SPANS = 20_000
export const STORE_BATCH_MS = 500
/** Bytes of journaled records that wait in memory, and of one batch for the store, whatever their number. */
export const HELD_BYTES_LIMIT = 32 * 1024 * 1024
/** Limits of nesting, numbers and lengths. A part of a record beyond one is truncated and counted. */
export const DEPTH_LIMIT = 64
export const ATTRIBUTE_COUNT_LIMIT = 1_024
export const ATTRIBUTE_VALUE_LIMIT_BYTES = 64 * 1024
export const NAME_LIMIT_BYTES = 1024
/**
 * UTF-16 units of a text that are redacted and sent. The rest is replaced. Each unit takes at least one byte, so a receiver would
 * truncate such a text as well, at `ATTRIBUTE_VALUE_LIMIT_BYTES`.
 */
export const REDACTED_TEXT_LIMIT = 64 * 1024
/** Stored frames of one stack, the innermost ones. Relay's limit; `MAX_STACK_FRAMES` of Sentry's browser SDK is 50. */
export const STACK_FRAME_LIMIT = 250
/** Items of one envelope. Relay accepts 1,000 spans in one, and no other envelope has nearly as many items. */
export const ENVELOPE_ITEM_LIMIT = 1_000
/**
 * Stored bytes of an envelope item's payload, the first ones. As base64 they stay below the 8 MiB of one insert, beyond which
 * the embedded engine takes half of its memory.
 */
export const ITEM_PAYLOAD_LIMIT_BYTES = 5 * 1024 * 1024
/** Bytes of envelopes that a Spotlight client can request again. */
export const SPOTLIGHT_RING_BYTES = 16 * 1024 * 1024

/** The time for requests and calls in flight when a server closes, so that a stop takes less than two seconds. */
export const CLOSE_GRACE_MS = 1_000
