import * as Sentry from "@sentry/nextjs"

export function GET() {
  Sentry.captureException(new Error("a handler said"))
  return new Response("said")
}
