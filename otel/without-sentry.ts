/**
 * Stands in for `@sentry/browser`, `@sentry/core`, `@sentry/nextjs` and `@sentry/opentelemetry` where an app has not installed them:
 * `withPagespan` points their names here. Spans then go by OTLP alone. It has what the tracer imports of them, and a
 * test compares the two.
 */

const MISSING =
  "pagespan: SENTRY_DSN is set and Sentry's packages were not all found by the build: spans go by OTLP only. Install @sentry/nextjs 10.78 or 11."

/** Of `@sentry/nextjs`. Only called with a DSN; without a client nothing else of it is. */
export function init(): undefined {
  // oxlint-disable-next-line no-console -- the server's log is where the person who set the variable looks
  console.warn(MISSING)
}

export function getClient(): undefined {}

export function addBreadcrumb(): void {}

export function captureRequestError(): void {}

export function continueTrace(): void {}

export function makeNodeTransport(): never {
  throw new Error(MISSING)
}

export class Scope {
  setTransactionName(): void {}
  setContext(): void {}
}

/** Of `@sentry/opentelemetry`: `sentry-trace` and `baggage` are Sentry's, and nobody reads them. */
export class SentryPropagator {
  inject(): void {}

  extract<Context>(context: Context): Context {
    return context
  }

  fields(): string[] {
    return []
  }
}

export function setOpenTelemetryContextAsyncContextStrategy(): void {}

/** Of `@sentry/browser` and `@sentry/core`: the page is told of no DSN, so that it never loads what sends to Sentry. */
export const SDK_VERSION = ""

export function applyAggregateErrorsToEvent(): void {}

export function checkOrSetAlreadyCaught(): boolean {
  return false
}

export function createClientReportEnvelope(): void {}

export function createTransport(): void {}

export function dedupeIntegration(): void {}

export function defaultStackParser(): never[] {
  return []
}

export function eventFromException(): void {}

export function exceptionFromError(): void {}

export function getDebugImagesForResources(): void {}
