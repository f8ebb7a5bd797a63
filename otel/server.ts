import type { Instrumentation } from "next"
import { warnOfFailure } from "./sdk/server/warnings.ts"

export { type ActionOptions, traceAction } from "./sdk/server/trace-action.ts"

/**
 * The server's two hooks, to be exported from `instrumentation.ts` as they stand.
 *
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/instrumentation
 */

/**
 * Starts the server's tracer once for each process. Does nothing in the edge runtime, which has no OpenTelemetry SDK. Never
 * rejects: an app starts without tracing rather than not at all, and one line in its log says why.
 */
export async function register(): Promise<void> {
  // In this form a bundler leaves the branch out of what the edge runtime runs.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    try {
      const { startServer } = await import("./sdk/server/start.ts")
      startServer(process.env)
    } catch (error) {
      warnOfFailure("tracing of this server", error)
    }
  }
}

/** Reports an error that Next caught while it rendered, ran a route handler or a server action. Never rejects. */
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
