import type { AsyncLocalStorage } from "node:async_hooks"
import {
  context,
  type Context,
  type ContextManager,
  createContextKey,
  propagation,
  type TextMapPropagator,
  trace,
  type TracerProvider,
} from "@opentelemetry/api"
import { type Client, dsnToString } from "@sentry/core"
import { getClient } from "@sentry/nextjs"
import * as SentryOpenTelemetry from "@sentry/opentelemetry"
import { isSampledOut } from "./trace-state.ts"
import { warn } from "./warnings.ts"

/** How the SDK coexists with a Sentry client or an OpenTelemetry SDK that the app has set up itself. */

/** Options of `Sentry.init` that leave OpenTelemetry to us: the name in version 11, then the name in version 10. */
export const WITHOUT_SETUP = { enableOpenTelemetrySetup: false, skipOpenTelemetrySetup: true }

/**
 * Keeps the client of an app that calls `Sentry.init` itself, with all its options. Unregisters the OpenTelemetry globals
 * that `Sentry.init` set, so that Next's spans reach Sentry once, through the bridge. An SDK that the app registered
 * separately stays registered; `warnOfExistingSdk` reports it.
 *
 * @param isJoined whether the app's own SDK makes the spans. Then no global is unregistered, since it may be that SDK's.
 */
export function adoptExistingClient(client: Client, isJoined = false): void {
  // Sentry's set-up assigns it in versions 10 and 11.
  if (!isJoined && (client as { traceProvider?: unknown }).traceProvider !== undefined)
    for (const api of [trace, context, propagation]) api.disable()
  const { tracesSampleRate, tracesSampler } = client.getOptions()
  if (tracesSampleRate === undefined && tracesSampler === undefined) return
  warn("Sentry's own tracing is on too: take tracesSampleRate and tracesSampler out of Sentry.init (npx pagespan init)")
}

/** What the environment can override: DSN, release and environment of a `Sentry.init` of the app, if one has run and sends. */
export function existingOptions(): Partial<Record<"SENTRY_DSN" | "SENTRY_ENVIRONMENT" | "SENTRY_RELEASE", string>> {
  const client = getClient()
  const dsn = client?.getDsn()
  const { enabled, environment, release } = client?.getOptions() ?? {}
  if (dsn === undefined || enabled === false) return {}
  return {
    SENTRY_DSN: dsnToString(dsn),
    ...(environment === undefined ? {} : { SENTRY_ENVIRONMENT: environment }),
    ...(release === undefined ? {} : { SENTRY_RELEASE: release }),
  }
}

/** Version 10 exports this class and expects the app to register it. Version 11 registers a manager itself. */
const CONTEXT_MANAGER = "SentryAsyncLocalStorageContextManager"

interface SentryVersion10 {
  readonly setOpenTelemetryContextAsyncContextStrategy: (options: { skipOpenTelemetrySetup: boolean }) => void
  readonly [CONTEXT_MANAGER]?: new () => ContextManager
}

/** Registers Sentry's context manager, which forks Sentry's scopes with each OpenTelemetry context. */
export function useSentryContexts(): void {
  const sentry: SentryVersion10 = SentryOpenTelemetry
  sentry.setOpenTelemetryContextAsyncContextStrategy({ skipOpenTelemetrySetup: true })
  const Manager = sentry[CONTEXT_MANAGER]
  if (Manager !== undefined) context.setGlobalContextManager(new Manager())
  skipForks(registeredManager())
}

/** Sentry's manager, in versions 10 and 11. */
interface SentryContextManager extends ContextManager {
  getAsyncLocalStorageLookup?(): { readonly asyncLocalStorage: AsyncLocalStorage<Context> }
}

/** Undocumented, and used by Sentry's SDK 10 itself. Without it every context forks the scopes, which only takes time. */
function registeredManager(): SentryContextManager | undefined {
  return (context as unknown as { _getContextManager?: () => SentryContextManager })._getContextManager?.()
}

/** Next's tracer gives each span's context a number under this key. Keys with the same name are equal. */
const NEXT_SPAN_ID = createContextKey("next.rootSpanId")

/**
 * Keeps the scopes of the request for the contexts that Next creates for its own spans, where the trace is not sampled. The
 * forks would be half of what such a request costs. `Sentry.withScope` and the like fork as ever.
 */
function skipForks(manager: SentryContextManager | undefined): void {
  const storage = manager?.getAsyncLocalStorageLookup?.().asyncLocalStorage
  if (manager === undefined || storage === undefined) return
  const fork = manager.with.bind(manager)
  manager.with = (next, work, thisArg, ...args) =>
    isNextSpanUnrecorded(next, manager.active())
      ? storage.run(next, () => work.apply(thisArg as ThisParameterType<typeof work>, args))
      : fork(next, work, thisArg, ...args)
}

function isNextSpanUnrecorded(next: Context, active: Context): boolean {
  const span = trace.getSpanContext(next)
  return span !== undefined && isSampledOut(span) && next.getValue(NEXT_SPAN_ID) !== active.getValue(NEXT_SPAN_ID)
}

/** The global under which every copy of `@opentelemetry/api` 1.x stores its registrations and the first copy's version. */
const OPENTELEMETRY_GLOBALS = Symbol.for("opentelemetry.js.api.1")

interface OpenTelemetryGlobals {
  readonly version?: string
  context?: ContextManager | undefined
  propagation?: TextMapPropagator | undefined
}

function openTelemetryGlobals(): OpenTelemetryGlobals | undefined {
  return (globalThis as { [OPENTELEMETRY_GLOBALS]?: OpenTelemetryGlobals })[OPENTELEMETRY_GLOBALS]
}

/** The propagator that the app has registered, if there is one. */
export function registeredPropagator(): TextMapPropagator | undefined {
  return openTelemetryGlobals()?.propagation
}

/**
 * Replaces what the app has registered. OpenTelemetry's API refuses a second registration, and one from another version of
 * itself: then what the app has registered stays.
 *
 * @returns whether it was replaced.
 */
export function replaceGlobal(part: "context" | "propagation", register: () => void): boolean {
  const globals = openTelemetryGlobals()
  const before = globals?.[part]
  if (globals !== undefined) globals[part] = undefined
  register()
  const after = openTelemetryGlobals()
  if (after === undefined || after[part] !== undefined) return after !== undefined
  ;(after as Record<typeof part, unknown>)[part] = before
  return false
}

/** Warns if Next's spans go elsewhere: to an SDK that registered first, or to a second copy of the API. */
export function warnOfExistingSdk(provider: TracerProvider): void {
  const registered = trace.getTracerProvider() as { getDelegate?: () => unknown }
  if (registered.getDelegate?.() === provider) return
  const { version = "?" } = openTelemetryGlobals() ?? {}
  warn(
    `another OpenTelemetry SDK was registered first, or there is a second copy of @opentelemetry/api (${version}): this server's spans go there. ` +
      `Give that SDK a PagespanSpanProcessor of pagespan/server, or register one SDK, and check npm ls @opentelemetry/api`,
  )
}
