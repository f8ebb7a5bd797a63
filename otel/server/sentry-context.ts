import { type ContextManager, context } from "@opentelemetry/api"
import * as SentryOpenTelemetry from "@sentry/opentelemetry"

/** Version 10 exports it and leaves it to be registered; version 11 registers one of its own. */
const CONTEXT_MANAGER = "SentryAsyncLocalStorageContextManager"

interface OfVersion10 {
  readonly setOpenTelemetryContextAsyncContextStrategy: (options: { skipOpenTelemetrySetup: boolean }) => void
  readonly [CONTEXT_MANAGER]?: new () => ContextManager
}

/** Forks Sentry's scopes with each OpenTelemetry context, and registers the context manager that does so. */
export function joinContexts(): void {
  const sentry: OfVersion10 = SentryOpenTelemetry
  sentry.setOpenTelemetryContextAsyncContextStrategy({ skipOpenTelemetrySetup: true })
  const Manager = sentry[CONTEXT_MANAGER]
  if (Manager !== undefined) context.setGlobalContextManager(new Manager())
}
