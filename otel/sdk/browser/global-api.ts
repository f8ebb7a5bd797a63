import { context, type ContextManager, ROOT_CONTEXT, trace, type TracerProvider } from "@opentelemetry/api"
import type { CurrentRoot } from "./roots/current-root.ts"

/**
 * Registers the page's provider and context manager, so that the app's own spans join in, until the signal aborts. Those that the
 * app has registered stay.
 */
export function registerGlobally(provider: TracerProvider, current: CurrentRoot, signal: AbortSignal): void {
  const until = (isOurs: boolean, api: { disable(): void }) =>
    isOurs && signal.addEventListener("abort", () => api.disable())
  until(trace.setGlobalTracerProvider(provider), trace)
  until(context.setGlobalContextManager(pageContextManager(current)), context)
}

/**
 * A context manager for synchronous code, as OpenTelemetry's `StackContextManager`. Browsers do not carry the context across
 * `await`: where none is active, a new span becomes a child of the page's current root. Pass a context explicitly where the
 * exact parent matters.
 */
function pageContextManager(current: CurrentRoot): ContextManager {
  let active = ROOT_CONTEXT
  const manager: ContextManager = {
    active: () => (trace.getSpanContext(active) === undefined ? current.context : active),
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
