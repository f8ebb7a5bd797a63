import type { Instrumentation } from "next"

/**
 * The server's two hooks, to be exported from `instrumentation.ts` as they stand.
 *
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/instrumentation
 */

/** Starts the server's tracer once for each process. Does nothing in the edge runtime, which has no OpenTelemetry SDK. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return
  const { startServer } = await import("./server/start.ts")
  startServer(process.env)
}

/** Reports an error that Next caught while it rendered, ran a route handler or a server action. */
export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  if (process.env.NEXT_RUNTIME !== "nodejs") return
  const { reportRequestError } = await import("./server/request-errors.ts")
  reportRequestError(error, request, context)
}
