import { join, resolve } from "node:path"
import type { Config } from "../config.ts"
import type { Acknowledged } from "../ingest/acknowledged.ts"
import type { Forwarder, ForwarderOptions } from "./forwarder.ts"

/** Forwarding of this inspector. */
export interface Forwarding {
  /**
   * Loads the forwarder, which continues with what an earlier process has queued. Call it once the journal is open: its lock is
   * that of the queues too. Two processes would send and delete each other's deliveries.
   */
  open(): void
  /** Returns at once and never throws. What cannot be forwarded is counted as dropped. */
  readonly offer: (batch: Acknowledged) => void
  /** Waits for running requests and writes. Queued deliveries are on disk and continue with the next start. */
  close(): Promise<void>
}

/** Forwarding as configured, or `undefined` if nothing is forwarded. The forwarder is loaded only when it is on: Sentry's SDK is a third of all modules of a start. */
export function openForwarding(config: Config, recordDrop: ForwarderOptions["recordDrop"]): Forwarding | undefined {
  const { PAGESPAN_FORWARD_OTLP: otlp, PAGESPAN_FORWARD_SENTRY: sentry } = config
  if (otlp.length === 0 && sentry === undefined) return undefined
  let forwarder: Promise<Forwarder> | undefined
  let isClosed = false
  const load = async () => {
    const { createForwarder } = await import("./forwarder.ts")
    return createForwarder({
      otlp,
      sentry,
      allowedAddresses: config.PAGESPAN_FORWARD_ALLOWED_ADDRESSES,
      directory: join(resolve(config.PAGESPAN_DATA), "forward"),
      recordDrop,
    })
  }
  return {
    open() {
      if (!isClosed) forwarder ??= load()
    },
    offer(batch) {
      // Before the journal is open, only an envelope without records is acknowledged.
      if (forwarder === undefined) return recordDrop("store_unavailable", "default", 1)
      void forwarder.then((opened) => opened.offer(batch))
    },
    async close() {
      isClosed = true
      await (await forwarder)?.close()
    },
  }
}
