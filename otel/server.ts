import type { Instrumentation } from "next"
import { joinedSdk } from "./sdk/server/span-processor.ts"
import { warnOfFailure } from "./sdk/server/warnings.ts"

export { PagespanSpanProcessor, type PagespanSpanProcessorOptions } from "./sdk/server/span-processor.ts"
export { type ActionOptions, traceAction } from "./sdk/server/trace-action.ts"

/**
 * Starts tracing in this server process, once. Export it from `instrumentation.ts`; Next awaits it before the first request.
 *
 * It registers an OpenTelemetry tracer provider, propagator and context manager, and handlers for SIGTERM and SIGINT that
 * flush for at most two seconds. With `SENTRY_DSN` set it also calls `Sentry.init`, or, in an app that calls `Sentry.init`
 * itself, adopts that client and unregisters the OpenTelemetry globals that `Sentry.init` set. In the edge runtime, which
 * has no OpenTelemetry SDK, it does nothing. After `new PagespanSpanProcessor()` it registers nothing, and resolves when that
 * processor works.
 *
 * @returns a promise that never rejects: if tracing cannot start, the app runs without it and the log has one line about why.
 *
 * @example
 * // instrumentation.ts
 * export { register, onRequestError } from "pagespan/server"
 *
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/instrumentation
 */
export async function register(): Promise<void> {
  // A bundler can remove this form of the condition from what the edge runtime loads.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    try {
      const joined = joinedSdk()
      if (joined !== undefined) return await joined
      const { startServer } = await import("./sdk/server/start.ts")
      startServer(process.env)
    } catch (error) {
      warnOfFailure("tracing of this server", error)
    }
  }
}

/**
 * Reports an error that Next caught in a render, a route handler, a server action or `proxy.ts`: as an `exception` event on
 * the span of the step that failed, and to Sentry on the request's trace. Export it from `instrumentation.ts`.
 *
 * @param error what was thrown.
 * @param request path, method and headers of the failed request. Query strings and unlisted headers are removed.
 * @param context route and kind of the failed work.
 * @returns a promise that never rejects.
 *
 * @example
 * // instrumentation.ts
 * export { register, onRequestError } from "pagespan/server"
 *
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/instrumentation#onrequesterror-optional
 */
export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  try {
    if (process.env.NEXT_RUNTIME === "nodejs") {
      const { reportRequestError } = await import("./sdk/server/request-errors.ts")
      reportRequestError(error, request, context)
    }
    if (process.env.NEXT_RUNTIME === "edge") {
      const { reportEdgeError } = await import("./sdk/server/edge.ts")
      await reportEdgeError(error, request, context)
    }
  } catch (failure) {
    warnOfFailure("the report of an error that Next caught", failure)
  }
}
