import { tunnelHandler } from "./sdk/tunnel/tunnel.ts"

/**
 * Accepts telemetry of the app's own pages on the app's own origin. Export it from a route handler, by default
 * `app/monitoring/route.ts`. It needs the Node runtime, and reads `SENTRY_DSN`, `PAGESPAN_TUNNEL` and the
 * `OTEL_EXPORTER_OTLP_*` variables through `register()`.
 *
 * - Sentry envelopes go to the configured DSN and nowhere else.
 * - OTLP/JSON (`application/json`) goes to the configured collector, and to the inspector in the same process.
 * - An empty body of type `application/vnd.pagespan.settings+json` gets the page's settings as JSON, with status 200.
 *
 * An envelope may have 1 MiB (1,048,576 bytes), a batch of spans 2 MiB, each before and after decompression:
 * `PAGE_BODY_LIMIT_BYTES` in `protocol/limits.ts`. A batch may have 2,048 spans. What a client may send in all is limited by
 * its address: `sdk/tunnel/budgets.ts`, and `PAGESPAN_TRUSTED_PROXIES` for which address that is.
 *
 * @param request the page's `POST`.
 * @returns a response without a body and with status 204 if the data was accepted, otherwise one of these: 400 malformed
 *   body, 403 foreign origin or DSN, 404 `PAGESPAN_TUNNEL` is `off`, 408 body too slow, 413 body too large, 415 unsupported
 *   encoding, 429 past a budget of the client or of all, 502, 503 or 504 Sentry is unreachable, 503 also if tracing is off or
 *   too many bodies are in memory, else Sentry's own status. It carries Sentry's `Retry-After` and `X-Sentry-Rate-Limits`
 *   headers. The promise does not reject for what a request holds.
 *
 * @example
 * // app/monitoring/route.ts
 * export { POST } from "pagespan/tunnel"
 */
export const POST = (request: Request): Promise<Response> => tunnelHandler(request)

/**
 * Answers the preflights of pages whose origin `PAGESPAN_TUNNEL_ORIGINS` lists. Export it beside `POST` if the variable is set:
 * otherwise Next answers them itself, and those pages cannot send.
 *
 * @param request a browser's `OPTIONS`.
 * @returns 204 with the `Access-Control-Allow-*` headers for a listed origin, 405 for any other, 503 if tracing is off. The promise does not reject.
 *
 * @example
 * // app/monitoring/route.ts
 * export { OPTIONS, POST } from "pagespan/tunnel"
 */
export const OPTIONS = (request: Request): Promise<Response> => tunnelHandler(request)
