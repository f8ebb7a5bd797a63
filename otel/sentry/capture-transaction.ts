import type { Client, TransactionEvent } from "@sentry/core"
import type { SamplingContext } from "./sampling-context.ts"
import type { Transaction } from "./transaction.ts"

/** Sends a transaction through the Sentry client's own pipeline and transport. */
export function captureTransaction(client: Client, transaction: Transaction, samplingContext: SamplingContext): void {
  const event = { ...transaction.payload, sdkProcessingMetadata: { dynamicSamplingContext: samplingContext } }
  // The client's types are narrower than what Sentry takes: its `origin` is a template type, its `data` has no nulls.
  client.captureEvent(event as unknown as TransactionEvent)
}
