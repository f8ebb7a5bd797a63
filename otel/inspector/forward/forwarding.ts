import { join, resolve } from "node:path"
import type { Config } from "../config.ts"
import type { ForwardBatch, ForwarderOptions } from "./forwarder.ts"

/** What the handlers hand on, and to whom. */
export interface Forwarding {
  /** Returns at once and never throws; what cannot be forwarded is counted. */
  offer(batch: ForwardBatch): void
  /** Waits for what is on its way now. What waits is on disk and goes on with the next start. */
  close(): Promise<void>
}

const OFF: Forwarding = { offer: () => undefined, close: () => Promise.resolve() }

/** Forwarding as configured. It is loaded where it is on: the protocol of Sentry takes a third of all modules of a start. */
export function openForwarding(config: Config, lost: ForwarderOptions["lost"]): Forwarding {
  const { PAGESPAN_FORWARD_OTLP: otlp, PAGESPAN_FORWARD_SENTRY: sentry } = config
  if (otlp.length === 0 && sentry === undefined) return OFF
  const forwarder = import("./forwarder.ts").then(({ createForwarder }) =>
    createForwarder({
      otlp,
      sentry,
      allowedAddresses: config.PAGESPAN_FORWARD_ALLOWED_ADDRESSES,
      directory: join(resolve(config.PAGESPAN_DATA), "forward"),
      lost,
    }),
  )
  return {
    offer: (batch) => void forwarder.then((opened) => opened.offer(batch)),
    close: async () => (await forwarder).close(),
  }
}
