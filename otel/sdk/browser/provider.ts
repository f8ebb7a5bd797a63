import { context, type Context, SpanStatusCode, trace, type TracerProvider } from "@opentelemetry/api"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { TracerProvider as SdkTracerProvider } from "@opentelemetry/sdk-trace"
import { RandomIdGenerator, StackContextManager } from "@opentelemetry/sdk-trace-web"
import { currentFilters, logFilterFailure } from "../filters.ts"
import type { SpanMapping } from "../sentry/span-mapping.ts"
import type { Delivery } from "./delivery/delivery.ts"
import type { PageDrops } from "./delivery/page-drops.ts"
import { PageBridge } from "./page-bridge.ts"
import type { CurrentRoot } from "./roots/current-root.ts"

/** What our own spans say of themselves. Those of the app are put into words by `sanitizePayload`, with the client. */
const OWN_WORDS: SpanMapping = {
  op: ({ attributes }) => attributes["sentry.op"] as string | undefined,
  status: ({ status }) => (status.code === SpanStatusCode.ERROR ? "internal_error" : "ok"),
}

/**
 * The page's tracer provider, made OpenTelemetry's global one so that the app's own spans join in. The plain provider:
 * the basic one reads environment variables, which no page has, and the web one adds propagators and a context manager
 * that a page of ours replaces.
 */
export function createTracerProvider(current: CurrentRoot, delivery: Delivery, drops: PageDrops): TracerProvider {
  const bridge = new PageBridge({
    side: "page",
    filters: currentFilters,
    filterFailed: (filter, error) => {
      logFilterFailure(filter, error)
      // Sentry is not told: nothing was dropped.
      drops.add("filter_failed", "internal", 1)
    },
    deliver: (transaction) => delivery.sentry.addTransaction(transaction),
    lost: drops.count,
    newEventId: new RandomIdGenerator().generateTraceId,
    words: OWN_WORDS,
  })
  const { settings } = delivery.destination
  const provider = new SdkTracerProvider({
    sampler: delivery.sampling,
    resource: resourceFromAttributes({
      ...(settings === undefined ? {} : { "service.name": settings.service }),
      "telemetry.sdk.name": "opentelemetry",
      "telemetry.sdk.language": "webjs",
      "browser.language": navigator.language,
    }),
    spanProcessors: [bridge, delivery.spans, current],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new PageContextManager(() => current.context).enable())
  return provider
}

/**
 * Browsers keep no context across `await`. Where none is active, the page's current root is: after an `await` a span
 * belongs to the page, not to nothing. Pass a context explicitly where the exact parent matters.
 */
export class PageContextManager extends StackContextManager {
  readonly #ambient: () => Context

  constructor(ambient: () => Context) {
    super()
    this.#ambient = ambient
  }

  override active(): Context {
    const active = super.active()
    return trace.getSpanContext(active) === undefined ? this.#ambient() : active
  }
}
