import { join, resolve } from "node:path"
import type { Config } from "../config.ts"
import type { Acknowledged } from "../ingest/acknowledged.ts"
import type { ForwarderOptions } from "./forwarder.ts"

/** Forwarding of this inspector. */
export interface Forwarding {
  /** Returns at once and never throws. What cannot be forwarded is counted as dropped. */
  readonly offer: (batch: Acknowledged) => void
  /** Waits for running requests and writes. Queued deliveries are on disk and continue with the next start. */
  close(): Promise<void>
}

/** Forwarding as configured, or `undefined` if nothing is forwarded. The forwarder is loaded only when it is on: Sentry's SDK is a third of all modules of a start. */
export function openForwarding(config: Config, recordDrop: ForwarderOptions["recordDrop"]): Forwarding | undefined {
  const { PAGESPAN_FORWARD_OTLP: otlp, PAGESPAN_FORWARD_SENTRY: sentry } = config
  if (otlp.length === 0 && sentry === undefined) return undefined
  const forwarder = import("./forwarder.ts").then(({ createForwarder }) =>
    createForwarder({
      otlp,
      sentry,
      allowedAddresses: config.PAGESPAN_FORWARD_ALLOWED_ADDRESSES,
      directory: join(resolve(config.PAGESPAN_DATA), "forward"),
      recordDrop,
    }),
  )
  return {
    offer: (batch) => void forwarder.then((opened) => opened.offer(batch)),
    close: async () => (await forwarder).close(),
  }
}
