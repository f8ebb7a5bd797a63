import { context, type Context, SpanStatusCode, trace, type TracerProvider } from "@opentelemetry/api"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { TracerProvider as SdkTracerProvider } from "@opentelemetry/sdk-trace"
import { RandomIdGenerator, StackContextManager } from "@opentelemetry/sdk-trace-web"
import { currentFilters, logFilterFailure } from "../filters.ts"
import type { SpanMapping } from "../sentry/span-mapping.ts"
import type { Delivery } from "./delivery/delivery.ts"
import { PageBridge } from "./page-bridge.ts"
import type { CurrentRoot } from "./roots/current-root.ts"

/** Op and status of our own spans. `sanitizePayload`, which is loaded with the client, derives those of the app's spans. */
const OWN_SPAN_MAPPING: SpanMapping = {
  op: ({ attributes }) => attributes["sentry.op"] as string | undefined,
  status: ({ status }) => (status.code === SpanStatusCode.ERROR ? "internal_error" : "ok"),
}

/**
 * Creates the page's tracer provider and registers it globally, so that the app's own spans join in. The base provider:
 * the one of `sdk-trace-base` reads environment variables, which no page has, and the web one adds propagators and a
 * context manager that we replace.
 */
export function createTracerProvider(current: CurrentRoot, delivery: Delivery): TracerProvider {
  const { destination, drops, sampling, sentry, spans } = delivery
  const bridge = new PageBridge({
    side: "page",
    filters: currentFilters,
    filterFailed: (filter, error) => {
      logFilterFailure(filter, error)
      // Not reported to Sentry: nothing was dropped.
      drops.add("filter_failed", "internal", 1)
    },
    deliver: (transaction) => sentry.addTransaction(transaction),
    lost: drops.count,
    newEventId: new RandomIdGenerator().generateTraceId,
    words: OWN_SPAN_MAPPING,
  })
  const { settings } = destination
  const provider = new SdkTracerProvider({
    sampler: sampling,
    resource: resourceFromAttributes({
      ...(settings && { "service.name": settings.service }),
      "telemetry.sdk.name": "opentelemetry",
      "telemetry.sdk.language": "webjs",
      "browser.language": navigator.language,
    }),
    spanProcessors: [bridge, spans, current],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new PageContextManager(() => current.context).enable())
  return provider
}

/**
 * Falls back to the page's current root where no context is active. Browsers do not carry the context across `await`:
 * there, a new span becomes a child of the root. Pass a context explicitly where the exact parent matters.
 */
class PageContextManager extends StackContextManager {
  readonly #fallback: () => Context

  constructor(fallback: () => Context) {
    super()
    this.#fallback = fallback
  }

  override active(): Context {
    const active = super.active()
    return trace.getSpanContext(active) === undefined ? this.#fallback() : active
  }
}
