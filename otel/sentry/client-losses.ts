import type { BaseTransportOptions, Client, DataCategory, EventDropReason, Transport } from "@sentry/core"
import { envelopeItemTypeToDataCategory, forEachEnvelopeItem } from "@sentry/core"
import { quantityOfItem } from "../model/item-quantity.ts"
import type { LossCategory, LossReason } from "../model/loss.ts"
import { takeExpectedDrop } from "./expected-drops.ts"

/**
 * What a Sentry client itself loses, counted as our own losses are: dropped by its processors and callbacks, not sent for
 * rate limits or a full queue, failed on the network, or refused by Sentry, which the client's own reports leave out.
 */
export type ClientLoss = (reason: EventDropReason, category: DataCategory, count: number) => void

/** Puts a loss of ours into the client's own reports. */
type ReportLoss = (reason: LossReason, category: LossCategory, count: number) => void

/**
 * Tells `lost` what the client drops before it reaches the transport. Its own reports to Sentry go on.
 *
 * @returns what puts a loss that was counted here already into those reports, under the nearest of Sentry's reasons.
 */
export function watchClientLosses(client: Client, lost: ClientLoss): ReportLoss {
  const record = client.recordDroppedEvent.bind(client)
  client.recordDroppedEvent = (reason, category, count = 1) => {
    record(reason, category, count)
    if (!takeExpectedDrop(client, reason, category)) lost(reason, category, count)
  }
  return (reason, category, count) => record(sentryReason(reason), category as DataCategory, count)
}

/** What filters drop is to Sentry what an event processor drops, and what there was no room for an overflow. */
function sentryReason(reason: LossReason): EventDropReason {
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
  lost: ClientLoss,
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

function countItems(envelope: Parameters<Transport["send"]>[0], reason: EventDropReason, lost: ClientLoss): void {
  forEachEnvelopeItem(envelope, ([header], type) => {
    // Losses of loss reports are not reported.
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
