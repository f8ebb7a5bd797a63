import {
  type Attributes,
  type Context,
  createContextKey,
  type Link,
  type SpanContext,
  type SpanKind,
  type TextMapGetter,
  trace,
  TraceFlags,
} from "@opentelemetry/api"
import { type ReadableSpan, type Sampler, SamplingDecision, type SamplingResult } from "@opentelemetry/sdk-trace-base"
import { PAGE_DROPS_HEADER } from "../page-drops.ts"
import { SETTINGS_MEDIA_TYPE } from "../page-settings.ts"
import { safely } from "../../protocol/safely.ts"
import { isLocalRoot } from "../sentry/span-facts.ts"
import { isSampledOut } from "./trace-state.ts"

/** All but the data of a page of the Pages Router, which its server function makes for a navigation. */
const NEXT_ASSETS = /^\/_next\/(?!data\/)/
/** Next's metadata files, which a browser requests with every page. */
const METADATA_FILES = /^\/(?:favicon\.ico|(?:icon|apple-icon)\d*\.\w+|robots\.txt|manifest\.webmanifest)$/
const INSPECTOR_PATHS = /^\/(?:v1\/|api\/\d+\/|stream$|live$|health$)/

const PAGE_DELIVERY = createContextKey("pagespan.page-delivery")

/**
 * Marks the context of a request that a page sends to the tunnel. A proxy may redirect or rewrite it to another path, whose
 * page says that it does not exist.
 */
export function withPageDelivery(context: Context, carrier: unknown, getter: TextMapGetter): Context {
  const isDelivery =
    getter.get(carrier, PAGE_DROPS_HEADER) !== undefined || getter.get(carrier, "content-type") === SETTINGS_MEDIA_TYPE
  return isDelivery ? context.setValue(PAGE_DELIVERY, true) : context
}

type IsInternal = (path: string, isPageDelivery?: boolean) => boolean

/**
 * Whether a path carries or serves telemetry. Anybody can claim to be a page that delivers: the claim counts only for paths
 * that end like the tunnel's.
 *
 * @param tunnel path of the tunnel, base path included, if there is one.
 * @param isInspector whether the inspector runs in this process. Only then are `/v1/` and `/api/` its endpoints.
 */
function telemetryPaths(tunnel: string | undefined, basePath: string, isInspector: () => boolean): IsInternal {
  const bareTunnel = tunnel === undefined ? undefined : withoutSlash(tunnel)
  const end = bareTunnel?.slice(basePath.length)
  return (path, isPageDelivery = false) => {
    if (isPageDelivery && end !== undefined && withoutSlash(path).endsWith(end)) return true
    return withoutSlash(path) === bareTunnel || (isInspector() && INSPECTOR_PATHS.test(path))
  }
}

/** Whether a path carries or serves telemetry, or is one of Next's assets. Such requests are never traced. */
export function internalPaths(...parameters: Parameters<typeof telemetryPaths>): IsInternal {
  const isTelemetry = telemetryPaths(...parameters)
  const [, basePath] = parameters
  return (path, isPageDelivery) =>
    isTelemetry(path, isPageDelivery) ||
    (path.startsWith(basePath) && NEXT_ASSETS.test(path.slice(basePath.length))) ||
    METADATA_FILES.test(path.slice(basePath.length))
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "")
}

/** Types of Next's root spans of a request. Next creates other root spans while modules load, before any request. */
const REQUEST_SPAN_TYPES: ReadonlySet<unknown> = new Set([
  "BaseServer.handleRequest",
  // With `NEXT_OTEL_VERBOSE=1`, around the one before.
  "NextServer.getRequestHandler",
  "Middleware.execute",
  // `proxy.ts`, where a host runs it apart from the server.
  "Next.request",
])

const NOT_RECORDED: SamplingResult = { decision: SamplingDecision.NOT_RECORD }

/** Excludes internal requests from tracing, so that the delivery of spans creates no spans. */
export class InternalRequestSampler implements Sampler {
  readonly #next: Sampler
  readonly #isInternal: IsInternal

  constructor(next: Sampler, isInternal: IsInternal) {
    this.#next = next
    this.#isInternal = isInternal
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    // Next starts the span as it handles the request, which must not fail with the SDK.
    return safely(
      () =>
        this.#isExcluded(context, attributes)
          ? NOT_RECORDED
          : this.#next.shouldSample(context, traceId, name, kind, attributes, links),
      () => NOT_RECORDED,
    )
  }

  #isExcluded(context: Context, attributes: Attributes): boolean {
    return this.#isLocalRoot(context)
      ? isModuleLoading(attributes) || isRequestOf(this.#isInternal, context, attributes)
      : isBelowExcluded(context)
  }

  #isLocalRoot(context: Context): boolean {
    const parent = trace.getSpanContext(context)
    return parent === undefined || parent.isRemote === true
  }

  toString(): string {
    return `InternalRequestSampler{${String(this.#next)}}`
  }
}

function isModuleLoading({ "next.span_type": type }: Attributes): boolean {
  return type !== undefined && !REQUEST_SPAN_TYPES.has(type)
}

/** Whether a span is one of those that Next adds around a request with `NEXT_OTEL_VERBOSE=1`. They have neither its path nor its route. */
export function isAroundRequest(attributes: Attributes | undefined): boolean {
  return String(attributes?.["next.span_type"]).startsWith("NextServer.")
}

/** Whether a span is the request of one of the paths. */
function isRequestOf(isInternal: IsInternal, context: Context, attributes: Attributes): boolean {
  // Next has the first, HTTP instrumentations the second.
  const target = attributes["http.target"] ?? attributes["url.path"]
  return typeof target === "string" && isInternal(pathOf(target), context.getValue(PAGE_DELIVERY) === true)
}

/**
 * Excludes internal requests from spans that the sampler of another SDK has let through. What carries telemetry is hidden from
 * the other processors of that SDK too: its spans lose the flag that they are sampled. What else is no trace here, such as
 * Next's assets, stays in theirs.
 */
export class InternalSpans {
  readonly #excluded = new WeakSet<SpanContext>()
  readonly #hidden = new WeakSet<SpanContext>()
  readonly #isInternal: IsInternal
  readonly #isTelemetry: IsInternal

  constructor(...parameters: Parameters<typeof telemetryPaths>) {
    this.#isInternal = internalPaths(...parameters)
    this.#isTelemetry = telemetryPaths(...parameters)
  }

  /** Must be called at the start of each span. @returns whether it belongs to an internal request. */
  start(span: ReadableSpan, parentContext: Context): boolean {
    const context = span.spanContext()
    const parent = isLocalRoot(span) ? undefined : trace.getSpanContext(parentContext)
    const inherits = (excluded: WeakSet<SpanContext>) => parent !== undefined && excluded.has(parent)
    // A request below another span is one of Next's types. Another span may name the path of a request to another server.
    const isRequest = parent === undefined || REQUEST_SPAN_TYPES.has(span.attributes["next.span_type"])
    const isOf = (isInternal: IsInternal) => isRequest && isRequestOf(isInternal, parentContext, span.attributes)
    if (inherits(this.#hidden) || isOf(this.#isTelemetry)) {
      this.#hidden.add(context)
      context.traceFlags &= ~TraceFlags.SAMPLED
    }
    const isLoading = parent === undefined && isModuleLoading(span.attributes)
    const isExcluded = inherits(this.#excluded) || isLoading || isOf(this.#isInternal)
    if (isExcluded) this.#excluded.add(context)
    return isExcluded
  }

  has(span: ReadableSpan): boolean {
    return this.#excluded.has(span.spanContext())
  }
}

/**
 * Whether the parent span is excluded: it is not recorded, but not for its trace's sampling. A recorded span has attributes,
 * even after it has ended.
 */
function isBelowExcluded(context: Context): boolean {
  const parent = trace.getSpan(context)
  if (parent === undefined || "attributes" in parent) return false
  const spanContext = parent.spanContext()
  // A parent that the app has made itself, as of a message in a queue, has the flag of a sampled one.
  return (spanContext.traceFlags & TraceFlags.SAMPLED) === 0 && !isSampledOut(spanContext)
}

function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? target
}
