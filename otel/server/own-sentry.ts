import { context, propagation, trace } from "@opentelemetry/api"
import type { Client } from "@sentry/core"
import { warn } from "./warn.ts"

/**
 * An app that calls `Sentry.init` itself keeps its client, with all that it is set to. What that client's own set-up
 * registered with OpenTelemetry goes, so that Next's spans come here: they reach Sentry by the bridge, once. An SDK that
 * the app registered beside it stays, and is told of as a rival.
 */
export function takeOver(client: Client): void {
  // Set by Sentry's set-up, in versions 10 and 11 alike.
  if ((client as { traceProvider?: unknown }).traceProvider !== undefined)
    for (const api of [trace, context, propagation]) api.disable()
  const { tracesSampleRate, tracesSampler } = client.getOptions()
  if (tracesSampleRate === undefined && tracesSampler === undefined) return
  warn("Sentry's own tracing is on too: take tracesSampleRate and tracesSampler out of Sentry.init (npx pagespan init)")
}
