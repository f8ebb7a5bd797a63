import { tunnelHandler } from "./sdk/tunnel/tunnel.ts"

/**
 * The same-origin way out of a page, to be exported from a route handler such as `app/monitoring/route.ts`. It takes
 * `POST` only: Sentry envelopes, which go to the configured DSN and nowhere else, and OTLP/JSON, which goes to the
 * configured collector and to the inspector in this process, where there is one.
 */
export const POST = (request: Request): Promise<Response> => tunnelHandler(request)
