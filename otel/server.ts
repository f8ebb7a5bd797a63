import type { Instrumentation } from "next"

export { type ActionOptions, traceAction } from "./server/trace-action.ts"

/**
 * The server's two hooks, to be exported from `instrumentation.ts` as they stand.
 *
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/instrumentation
 */

/** Starts the server's tracer once for each process. Does nothing in the edge runtime, which has no OpenTelemetry SDK. */
export async function register(): Promise<void> {
  // In this form a bundler leaves the branch out of what the edge runtime runs.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { startServer } = await import("./server/start.ts")
    startServer(process.env)
  }
}

/** Reports an error that Next caught while it rendered, ran a route handler or a server action. */
export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { reportRequestError } = await import("./server/request-errors.ts")
    reportRequestError(error, request, context)
  }
  if (process.env.NEXT_RUNTIME === "edge") {
    const { reportEdgeError } = await import("./server/edge-errors.ts")
    await reportEdgeError(error, request, context)
  }
}
