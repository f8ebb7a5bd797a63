import { captureRequestError, init } from "@sentry/nextjs"

export function register(): void {
  init({ dsn: process.env["SENTRY_DSN"], tracesSampleRate: 1 })
}

export const onRequestError = captureRequestError
