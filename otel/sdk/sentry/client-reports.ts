import {
  type BaseTransportOptions,
  type Client,
  type DataCategory,
  envelopeItemTypeToDataCategory,
  type EventDropReason,
  forEachEnvelopeItem,
  type Transport,
} from "@sentry/core"
import { type DropCategory, type DropReason, quantityOfItem } from "../../protocol/records/drop.ts"

/** Number of events that we have counted under our own reason and that the client will count as `event_processor`. */
const expectedDrops = new WeakMap<Client, number>()

/** Announces that one of our event processors drops an error event and counts it itself. */
export function expectDrop(client: Client): void {
  expectedDrops.set(client, (expectedDrops.get(client) ?? 0) + 1)
}

/** Whether the client now counts such an event. Each announced event matches once. */
export function takeExpectedDrop(client: Client, reason: string, category: string): boolean {
  const count = expectedDrops.get(client) ?? 0
  if (reason !== "event_processor" || category !== "error" || count === 0) return false
  expectedDrops.set(client, count - 1)
  return true
}

/**
 * Called for everything that a Sentry client drops: in its processors and callbacks, for rate limits or a full queue, on the
 * network, or because Sentry refused it, which the client's own reports leave out.
 */
export type ClientDrop = (reason: EventDropReason, category: DataCategory, count: number) => void

/** Adds a drop to the client's own reports. */
type ReportDrop = (reason: DropReason, category: DropCategory, count: number) => void

/**
 * Calls `onDrop` for what the client drops before the transport. The client continues to report its drops to Sentry.
 *
 * @returns a function that adds a drop which is already counted here to those reports, under Sentry's nearest reason.
 */
export function watchClientDrops(client: Client, onDrop: ClientDrop): ReportDrop {
  const record = client.recordDroppedEvent.bind(client)
  client.recordDroppedEvent = (reason, category, count = 1) => {
    record(reason, category, count)
    if (!takeExpectedDrop(client, reason, category)) onDrop(reason, category, count)
  }
  return (reason, category, count) => record(sentryReason(reason), category as DataCategory, count)
}

/** Sentry counts what filters drop as `event_processor`, and what exceeds a limit as `buffer_overflow`. */
function sentryReason(reason: DropReason): EventDropReason {
  if (reason === "limit_spans" || reason === "expired") return "buffer_overflow"
  return reason === "sample_rate" ? "sample_rate" : "event_processor"
}

/** A transport of Sentry's SDK that calls `onDrop` for what it drops, what fails to be sent, and what Sentry refuses. */
export function countingTransport<Options extends BaseTransportOptions>(
  makeTransport: (options: Options) => Transport,
  onDrop: ClientDrop,
): (options: Options) => Transport {
  return (options) => {
    const drop = (reason: EventDropReason, category: DataCategory, count: number) => {
      options.recordDroppedEvent(reason, category, count)
      onDrop(reason, category, count)
    }
    let limited = new Set<DataCategory>()
    const transport = makeTransport({
      ...options,
      recordDroppedEvent: (reason: EventDropReason, category: DataCategory, count = 1) => {
        if (reason === "ratelimit_backoff") limited.add(category)
        // The transport counts a container of spans as one span.
        if (category !== "span") drop(reason, category, count)
      },
    })
    return {
      flush: (timeout) => transport.flush(timeout),
      async send(envelope) {
        // The transport checks rate limits synchronously, and sends the items of other categories.
        const leftOut = new Set<DataCategory>()
        limited = leftOut
        const sending = transport.send(envelope)
        const spans = spansIn(envelope)
        const response = await sending.then(undefined, (error: unknown) => {
          if (spans > 0) drop(leftOut.has("span") ? "ratelimit_backoff" : "network_error", "span", spans)
          throw error
        })
        const dropped = spans > 0 ? spanDrop(response.statusCode, leftOut.has("span")) : undefined
        if (dropped !== undefined) drop(dropped, "span", spans)
        const reason = refusal(response.statusCode)
        if (reason !== undefined) countItems(envelope, leftOut, reason, onDrop)
        return response
      },
    }
  }
}

/** Number of spans in an envelope's containers. */
function spansIn(envelope: Parameters<Transport["send"]>[0]): number {
  let spans = 0
  forEachEnvelopeItem(envelope, ([header], type) => {
    if (type === "span") spans += quantityIn(header)
  })
  return spans
}

/** Why a transport dropped an envelope of spans, derived from the outcome of `send`. */
function spanDrop(status: number | undefined, isLimited: boolean): EventDropReason | undefined {
  if (isLimited) return "ratelimit_backoff"
  if (status === 413) return "send_error"
  return status === undefined ? "queue_overflow" : undefined
}

/** @param leftOut categories of items that were not sent, and are counted. */
function countItems(
  envelope: Parameters<Transport["send"]>[0],
  leftOut: ReadonlySet<DataCategory>,
  reason: EventDropReason,
  onDrop: ClientDrop,
): void {
  forEachEnvelopeItem(envelope, ([header], type) => {
    const category = envelopeItemTypeToDataCategory(type)
    // Drops of drop reports are not reported.
    if (type !== "client_report" && !leftOut.has(category)) onDrop(reason, category, quantityIn(header))
  })
}

function quantityIn(header: object): number {
  return quantityOfItem((header as { item_count?: unknown }).item_count)
}

/** The transport counts a 413 itself. */
function refusal(status: number | undefined): EventDropReason | undefined {
  if (status === undefined || status < 300 || status === 413) return undefined
  return status === 429 ? "ratelimit_backoff" : "send_error"
}
