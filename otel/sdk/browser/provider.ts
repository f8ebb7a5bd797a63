import {
  context,
  type Context,
  type ContextManager,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type TracerProvider,
} from "@opentelemetry/api"
import { RandomIdGenerator } from "@opentelemetry/sdk-trace-web"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { currentFilters } from "../filters.ts"
import type { SpanMapping } from "../sentry/span-mapping.ts"
import type { Delivery } from "./delivery/delivery.ts"
import { PageBridge } from "./page-bridge.ts"
import { Recorder } from "./recorder/recorder.ts"
import type { CurrentRoot } from "./roots/current-root.ts"

/** Op and status of our own spans. `sanitizePayload`, which is loaded with the client, derives those of the app's spans. */
const OWN_SPAN_MAPPING: SpanMapping = {
  op: ({ attributes }) => attributes["sentry.op"] as string | undefined,
  status: ({ status }) => (status.code === SpanStatusCode.ERROR ? "internal_error" : "ok"),
}

/** Creates the page's tracer provider: a recorder, until OpenTelemetry's SDK takes over. */
export function createRecorder(current: CurrentRoot, delivery: Delivery): Recorder {
  const { destination, drops, sampling, sentry, spans } = delivery
  const bridge = new PageBridge({
    side: "page",
    filters: currentFilters,
    filterFailed: (filter, error) => {
      delivery.late?.filterFailed(filter, error)
      // Not reported to Sentry: nothing was dropped.
      drops.add("filter_failed", "internal", 1)
    },
    deliver: (transaction) => sentry.addTransaction(transaction),
    drop: drops.count,
    newEventId: new RandomIdGenerator().generateTraceId,
    mapping: OWN_SPAN_MAPPING,
  })
  const { settings } = destination
  const { language } = navigator as Partial<Navigator>
  const attributes = {
    ...(settings && { "service.name": settings.service }),
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.language": "webjs",
    ...(language && { "browser.language": language }),
  }
  return new Recorder({
    // What reads our spans reads nothing else of it.
    resource: { attributes } as unknown as ReadableSpan["resource"],
    listeners: [bridge, spans, current],
    isSampled: (parent, traceId) => sampling.decide(parent, traceId),
  })
}

/**
 * Registers the page's provider and context manager, so that the app's own spans join in. Neither exists before they are used.
 *
 * @param provider without one, the app's spans are not recorded.
 * @param rootContext returns the context of the current root.
 */
export function registerGlobally(provider: () => TracerProvider | undefined, rootContext: () => Context): void {
  trace.setGlobalTracerProvider({
    getTracer: (...scope) => (provider() ?? new ProxyTracerProvider()).getTracer(...scope),
  })
  context.setGlobalContextManager(new PageContextManager(rootContext))
}

/**
 * A context manager for synchronous code, as OpenTelemetry's `StackContextManager`. Browsers do not carry the context across
 * `await`: where none is active, a new span becomes a child of the page's current root. Pass a context explicitly where the
 * exact parent matters.
 */
class PageContextManager implements ContextManager {
  readonly #rootContext: () => Context
  #active = ROOT_CONTEXT

  constructor(rootContext: () => Context) {
    this.#rootContext = rootContext
  }

  active(): Context {
    return trace.getSpanContext(this.#active) === undefined ? this.#rootContext() : this.#active
  }

  with: ContextManager["with"] = (context, work, self, ...args) => {
    const previous = this.#active
    this.#active = context
    try {
      return Reflect.apply(work, self, args)
    } finally {
      this.#active = previous
    }
  }

  bind<T>(context: Context, target: T): T {
    const { with: run } = this
    if (typeof target !== "function") return target
    return function (this: unknown, ...args: unknown[]) {
      return run(context, target as unknown as () => unknown, this as undefined, ...(args as []))
    } as T
  }

  enable(): this {
    return this
  }

  disable(): this {
    return this
  }
}
