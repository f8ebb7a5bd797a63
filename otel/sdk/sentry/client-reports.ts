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

/** Events that were counted under a reason of ours, and which the client is about to count as `event_processor`. */
const expectedDrops = new WeakMap<Client, number>()

/** To be called where one of our processors drops an error event and counts it by itself. */
export function expectDrop(client: Client): void {
  expectedDrops.set(client, (expectedDrops.get(client) ?? 0) + 1)
}

/** Whether what the client counts now is such an event, which is then no longer expected. */
export function takeExpectedDrop(client: Client, reason: string, category: string): boolean {
  const count = expectedDrops.get(client) ?? 0
  if (reason !== "event_processor" || category !== "error" || count === 0) return false
  expectedDrops.set(client, count - 1)
  return true
}

/**
 * What a Sentry client itself loses, counted as our own drops are: dropped by its processors and callbacks, not sent for
 * rate limits or a full queue, failed on the network, or refused by Sentry, which the client's own reports leave out.
 */
export type ClientDrop = (reason: EventDropReason, category: DataCategory, count: number) => void

/** Puts a drop of ours into the client's own reports. */
type ReportDrop = (reason: DropReason, category: DropCategory, count: number) => void

/**
 * Tells `lost` what the client drops before it reaches the transport. Its own reports to Sentry go on.
 *
 * @returns what puts a drop that was counted here already into those reports, under the nearest of Sentry's reasons.
 */
export function watchClientDrops(client: Client, lost: ClientDrop): ReportDrop {
  const record = client.recordDroppedEvent.bind(client)
  client.recordDroppedEvent = (reason, category, count = 1) => {
    record(reason, category, count)
    if (!takeExpectedDrop(client, reason, category)) lost(reason, category, count)
  }
  return (reason, category, count) => record(sentryReason(reason), category as DataCategory, count)
}

/** What filters drop is to Sentry what an event processor drops, and what there was no room for an overflow. */
function sentryReason(reason: DropReason): EventDropReason {
  if (reason === "limit_spans" || reason === "expired") return "buffer_overflow"
  return reason === "sample_rate" ? "sample_rate" : "event_processor"
}

/**
 * A transport that tells `lost` what it drops, what fails, and what Sentry refuses.
 *
 * @param isTunnelled whether all goes through our tunnel, which counts the refusals of what has reached it.
 */
export function countingTransport<Options extends BaseTransportOptions>(
  makeTransport: (options: Options) => Transport,
  lost: ClientDrop,
  isTunnelled = false,
): (options: Options) => Transport {
  return (options) => {
    const drop = (reason: EventDropReason, category: DataCategory, count: number) => {
      options.recordDroppedEvent(reason, category, count)
      lost(reason, category, count)
    }
    let limited = false
    const transport = makeTransport({
      ...options,
      recordDroppedEvent: (reason: EventDropReason, category: DataCategory, count = 1) => {
        // The transport does not look into a container of spans, and takes it for one.
        if (category === "span") limited ||= reason === "ratelimit_backoff"
        else drop(reason, category, count)
      },
    })
    return {
      flush: (timeout) => transport.flush(timeout),
      async send(envelope) {
        limited = false
        const sending = transport.send(envelope)
        // Rate limits are looked up before anything is waited for.
        const isLimited = limited
        const spans = spansIn(envelope)
        const response = await sending.then(undefined, (error: unknown) => {
          if (spans > 0) drop("network_error", "span", spans)
          throw error
        })
        const dropped = spans > 0 ? spanDrop(response.statusCode, isLimited) : undefined
        if (dropped !== undefined) drop(dropped, "span", spans)
        const reason = isTunnelled ? undefined : refusal(response.statusCode)
        if (reason !== undefined) countItems(envelope, reason, lost)
        return response
      },
    }
  }
}

/** Spans in the containers of an envelope. */
function spansIn(envelope: Parameters<Transport["send"]>[0]): number {
  let spans = 0
  forEachEnvelopeItem(envelope, ([header], type) => {
    if (type === "span") spans += quantityIn(header)
  })
  return spans
}

/** Why a transport has dropped an envelope of spans, by how its sending ended. */
function spanDrop(status: number | undefined, isLimited: boolean): EventDropReason | undefined {
  if (status === 413) return "send_error"
  if (status !== undefined) return undefined
  return isLimited ? "ratelimit_backoff" : "queue_overflow"
}

function countItems(envelope: Parameters<Transport["send"]>[0], reason: EventDropReason, lost: ClientDrop): void {
  forEachEnvelopeItem(envelope, ([header], type) => {
    // Drops of drop reports are not reported.
    if (type !== "client_report") lost(reason, envelopeItemTypeToDataCategory(type), quantityIn(header))
  })
}

function quantityIn(header: object): number {
  return quantityOfItem((header as { item_count?: unknown }).item_count)
}

/** 413 is left out: the transport counts it by itself. */
function refusal(status: number | undefined): EventDropReason | undefined {
  if (status === undefined || status < 300 || status === 413) return undefined
  return status === 429 ? "ratelimit_backoff" : "send_error"
}
