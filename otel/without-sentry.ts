/**
 * Stub of `@sentry/browser`, `@sentry/core`, `@sentry/nextjs` and `@sentry/opentelemetry` for apps that have not installed
 * them: `withPagespan` aliases their names to this module, and spans are exported over OTLP alone. It exports every name that
 * the SDK imports from those packages; a test compares the two.
 */

const MISSING =
  "pagespan: SENTRY_DSN is set and Sentry's packages were not all found by the build: spans go by OTLP only. Install @sentry/nextjs 10.78 or 11."

/** From `@sentry/nextjs`. The SDK calls it only with a DSN, and calls nothing else of the package without a client. */
export function init(): undefined {
  // oxlint-disable-next-line no-console -- the operator who set the variable reads the server's log
  console.warn(MISSING)
}

export function getClient(): undefined {}

export function addBreadcrumb(): void {}

export function captureRequestError(): void {}

export function withScope(): void {}

export function continueTrace(): void {}

export function makeNodeTransport(): never {
  throw new Error(MISSING)
}

export class Scope {
  setTransactionName(): void {}
  setContext(): void {}
}

/** From `@sentry/opentelemetry`. Without Sentry nothing reads `sentry-trace` or `baggage`. */
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

/** From `@sentry/browser` and `@sentry/core`. The page's settings have no DSN, so it never loads the code that calls these. */
export const SDK_VERSION = ""

export function breadcrumbsIntegration(): void {}

export function browserSessionIntegration(): void {}

export function captureException(): void {}

export function isEnabled(): boolean {
  return false
}

export function updateSession(): void {}

export function addExceptionMechanism(): void {}

export function applyAggregateErrorsToEvent(): void {}

export function applyScopeDataToEvent(): void {}

export function checkOrSetAlreadyCaught(): boolean {
  return false
}

export function defaultStackParser(): never[] {
  return []
}

export function dsnToString(): string {
  return ""
}

export function exceptionFromError(): void {}

export function extractExceptionKeysForMessage(): string {
  return ""
}

export function getDebugImagesForResources(): void {}

export function getAsyncContextStrategy(): void {}

export function getCombinedScopeData(): void {}

export function getCurrentScope(): void {}

export function getGlobalScope(): void {}

export function getIsolationScope(): void {}

export function getMainCarrier(): void {}

export function isError(): boolean {
  return false
}

export function isErrorEvent(): boolean {
  return false
}

export function isEvent(): boolean {
  return false
}

export function isPlainObject(): boolean {
  return false
}

export function isRateLimited(): boolean {
  return false
}

export function updateRateLimits(): void {}

export function normalize(): void {}

export function normalizeToSize(): void {}

export function setAsyncContextStrategy(): void {}
