/**
 * Every limit of the mission, with the source of its number. Times are milliseconds, sizes are bytes.
 */

/** Sentry's `idleTimeout`: a page root ends when it has been quiet for this long. */
export const IDLE_TIMEOUT_MS = 1_000
/** Sentry's `finalTimeout`: the longest that a page root lasts. */
export const FINAL_TIMEOUT_MS = 30_000
/** Sentry's `childSpanTimeout`: an open child keeps its root open at most this long. */
export const CHILD_TIMEOUT_MS = 15_000

/**
 * Requests after the end of a page root that are recorded, each of which Sentry counts as a span by itself: a tenth of
 * what a root may have, and more than a visitor sets off on most pages before the next navigation.
 */
export const LATE_REQUEST_LIMIT = 100
/** Those of them that poll: enough to see the interval and how they fare. A page that is open all day at 1 s would send 28,800. */
export const LATE_POLL_LIMIT = 10

/** Sentry cuts a transaction's children here (`MAX_SPAN_COUNT`), root not included. */
export const TRANSACTION_SPAN_LIMIT = 1_000
/** Relay drops an envelope with more spans of the second protocol than this, root included (`MAX_SPANS_PER_ENVELOPE`). */
export const STREAMED_SPAN_LIMIT = 1_000
/** By Sentry's own estimate, which an envelope of streamed spans stays below (`MAX_TRACE_WEIGHT_IN_BYTES`). */
export const STREAMED_BYTES_LIMIT = 5_000_000
/** The same for a page, whose envelope must fit the tunnel (`PAGE_BODY_LIMIT_BYTES`) though a character may take three bytes. */
export const PAGE_STREAMED_BYTES_LIMIT = 600_000
/** Sentry's `linkedErrorsIntegration` follows `cause` this far. */
export const LINKED_ERROR_LIMIT = 5
/** Requests that a Sentry transport keeps in flight. Its browser transport lowers this to 40 by itself. */
export const QUEUED_ENVELOPE_LIMIT = 64
/** Sentry's back-off after a 429 that names no time. */
export const RATE_LIMIT_BACKOFF_MS = 60_000

/** Spans that a page holds before they are delivered. OpenTelemetry's `OTEL_BSP_MAX_QUEUE_SIZE` default. */
export const PAGE_QUEUE_SPAN_LIMIT = 2_048
/** Bytes of spans that a page holds before they are delivered. */
export const PAGE_QUEUE_BYTES_LIMIT = 1024 * 1024
/**
 * Bytes of a page's body at the tunnel, before inflation and after it. Envelopes: the default of Relay for one event or
 * transaction (`max_event_size`). Spans: twice what a page holds, for what JSON escapes.
 */
export const PAGE_BODY_LIMIT_BYTES = { envelope: 1024 * 1024, spans: 2 * PAGE_QUEUE_BYTES_LIMIT } as const
/** Deliveries that a page keeps while it is offline. Sentry's offline transport keeps 30 envelopes (`maxQueueSize`); here each may have a batch of OTLP beside it. */
export const OFFLINE_DELIVERY_LIMIT = 60
/** Bytes of deliveries that a page keeps while it is offline: what the HTML standard suggests for an origin's local storage. */
export const OFFLINE_BYTES_LIMIT = 5 * 1024 * 1024
/** Age past which a delivery that was kept is given up: 24 h, as long as Relay and the forwarder hold one back. */
export const OFFLINE_AGE_LIMIT_MS = 24 * 60 * 60 * 1_000
/** Bytes that a page may have in flight with `keepalive` in all: the Fetch standard allows 64 KiB, a margin is left for headers. */
export const KEEPALIVE_BUDGET_BYTES = 60 * 1024
/** Requests that a page may have in flight with `keepalive`: Chromium allows 10 for each process, one is left to the page. */
export const KEEPALIVE_REQUEST_LIMIT = 9

/** A request body before inflation, and after it: the OpenTelemetry Collector's receiver default. OTLP asks for a limit and recommends 64 MiB. */
export const BODY_LIMIT_BYTES = 20 * 1024 * 1024
/** A message of OTLP/gRPC, before and after inflation: gRPC's own default, and the Collector's. */
export const GRPC_MESSAGE_LIMIT_BYTES = 4 * 1024 * 1024
/** A body may inflate to this many times its size once it is past `INFLATE_RATIO_FREE_BYTES`. */
export const INFLATE_RATIO_LIMIT = 100
export const INFLATE_RATIO_FREE_BYTES = 1024 * 1024
/** Spans that one request may bring: its 20 MiB can hold a million of almost nothing, at about 2 kB each in memory. */
export const INGEST_SPAN_LIMIT = 100_000
/** Spans admitted and not yet stored. They wait in the journal, whose 512 MiB hold about as many. */
export const WAITING_SPAN_LIMIT = 1_000_000
/** Those of them that wait in memory as well, as bytes, some 30 MB: the batch that is being written, and the next. */
export const HELD_SPAN_LIMIT = 40_000
/**
 * A batch goes to the store when it holds this many spans, or is this old. Measured: of 20 spans each costs the engine
 * 816 µs of CPU, of 2,000 it costs 35, of 10,000 it costs 20, of 20,000 it costs 15; of more than that one insert cannot be made.
 */
export const STORE_BATCH_SPANS = 20_000
export const STORE_BATCH_MS = 500
/** Bytes of journaled records that wait in memory, and that one batch for the store is made of, whatever their number. */
export const HELD_BYTES_LIMIT = 32 * 1024 * 1024
/** Nesting, keys, and lengths past which a part of a record is cut and counted. */
export const DEPTH_LIMIT = 64
export const ATTRIBUTE_COUNT_LIMIT = 1_024
export const ATTRIBUTE_VALUE_LIMIT_BYTES = 64 * 1024
export const NAME_LIMIT_BYTES = 1024
/**
 * UTF-16 units of a text that are redacted and sent; the rest is replaced. Each takes at least one byte, so a text that is
 * cut here is one that a receiver cuts as well: at `ATTRIBUTE_VALUE_LIMIT_BYTES`.
 */
export const REDACTED_TEXT_LIMIT = 64 * 1024
/** Frames of one stack that are kept, the innermost ones. Sentry's own limit for a stack (`MAX_STACK_FRAMES` is 50 in its browser SDK, 250 in Relay). */
export const STACK_FRAME_LIMIT = 250
/** Items of one envelope: Relay takes 1,000 spans in one, and nothing else comes near. */
export const ENVELOPE_ITEM_LIMIT = 1_000
/**
 * Bytes of an envelope item's payload that are kept, the first ones. As base64 they stay below the 8 MiB of one insert,
 * past which the embedded engine takes half of its memory.
 */
export const ITEM_PAYLOAD_LIMIT_BYTES = 5 * 1024 * 1024
/** Envelopes that a Spotlight reader can ask for again, in bytes. */
export const SPOTLIGHT_RING_BYTES = 16 * 1024 * 1024

/** Requests and calls that are being answered when a server closes have this long, in milliseconds: a stop takes less than two seconds. */
export const CLOSE_GRACE_MS = 1_000
