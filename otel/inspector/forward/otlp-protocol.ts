import type { Protocol } from "./destination.ts"

const TRACES_PATH = "v1/traces"

/** A collector by OTLP/HTTP with JSON. */
export function otlpProtocol(endpoint: string): Protocol {
  const url = tracesUrl(endpoint)
  return {
    limitsItself: false,
    request: (_delivery, body) => ({ url, body, headers: { "content-type": "application/json" } }),
    answered: () => undefined,
  }
}

/** As OpenTelemetry's own exporters do: the signal's path is added to an endpoint that does not name it. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  if (!url.pathname.endsWith(`/${TRACES_PATH}`)) url.pathname = `${url.pathname.replace(/\/$/, "")}/${TRACES_PATH}`
  return url.href
}
