import { context, propagation, trace } from "@opentelemetry/api"
import type { Client } from "@sentry/core"
import { warn } from "./warn.ts"

/**
 * An app that calls `Sentry.init` itself keeps its client, with all that it is set to. What that client's OpenTelemetry
 * set-up registered goes, so that Next's spans come here: they reach Sentry by the bridge, once.
 */
export function takeOver(client: Client): void {
  for (const api of [trace, context, propagation]) api.disable()
  const { tracesSampleRate, tracesSampler } = client.getOptions()
  if (tracesSampleRate !== undefined || tracesSampler !== undefined)
    warn(
      "Sentry's own tracing is on too: take tracesSampleRate and tracesSampler out of Sentry.init (npx pagespan init)",
    )
}
