import type { Context, ContextManager, TraceAPI, TracerProvider } from "@opentelemetry/api"
import type { CurrentRoot } from "../roots/current-root.ts"
import { ROOT_CONTEXT } from "./contexts.ts"
import { type Registrations, registrations, setRegistrations } from "./registrations.ts"

/** Version of `@opentelemetry/api` in the late chunk: a copy of another version registers nothing beside it. A test compares them. */
export const API_VERSION = "1.9.1"

/**
 * Registers the page's provider and context manager, so that the app's own spans join in, until the signal aborts. Those that the
 * app has registered stay.
 *
 * @param api OpenTelemetry's API, where the app's pages bring it. Default: it is loaded late, and `registerThrough` follows.
 */
export function registerGlobally(
  provider: TracerProvider,
  current: CurrentRoot,
  signal: AbortSignal,
  api?: TraceAPI,
): void {
  register("context", pageContextManager(current), signal)
  // As the package's own proxy, it names what is behind it.
  const named = { getTracer: provider.getTracer.bind(provider), getDelegate: () => provider }
  register("trace", named, signal)
  if (api !== undefined) registerThrough(api, provider, signal)
}

/**
 * Registers the page's provider once more, by OpenTelemetry's API itself: tracers that the app requested before tracing started
 * learn of a provider only from the package. What else has been registered stays, and so does ours if another version of the API has
 * registered first.
 */
export function registerThrough(api: TraceAPI, provider: TracerProvider, signal: AbortSignal): void {
  const registered = registrations()
  const named = registered?.trace as { getDelegate?(): TracerProvider } | undefined
  if (registered === undefined || named?.getDelegate?.() !== provider) return
  delete registered.trace
  if (api.setGlobalTracerProvider(provider)) signal.addEventListener("abort", () => api.disable())
  else registered.trace = named as TracerProvider
}

function register<Part extends "trace" | "context">(part: Part, instance: Registrations[Part], signal: AbortSignal) {
  const registered = registrations() ?? setRegistrations({ version: API_VERSION })
  if (registered[part] !== undefined) return
  registered[part] = instance
  signal.addEventListener("abort", () => registered[part] === instance && delete registered[part])
}

/**
 * A context manager for synchronous code, as OpenTelemetry's `StackContextManager`. Browsers do not carry the context across
 * `await`: where no span is active, a new one becomes a child of the page's current root. Pass a context explicitly where the exact
 * parent matters.
 */
function pageContextManager(current: CurrentRoot): ContextManager {
  let active: Context = ROOT_CONTEXT
  const manager: ContextManager = {
    active: () => current.active(active),
    with(context, work, self, ...args) {
      const previous = active
      active = context
      try {
        return Reflect.apply(work, self, args)
      } finally {
        active = previous
      }
    },
    bind: (context, target) =>
      typeof target !== "function"
        ? target
        : (function (this: undefined, ...args: []) {
            return manager.with(context, target as unknown as () => unknown, this, ...args)
          } as typeof target),
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}
