import { type Attributes, type Context, type Link, type SpanKind, trace } from "@opentelemetry/api"
import { type Sampler, SamplingDecision, type SamplingResult } from "@opentelemetry/sdk-trace-base"

/** Paths that carry or serve telemetry, which are never traced themselves. */
const NEXT_ASSETS = "/_next/"
/** Next's metadata files: a browser asks for them beside every page. */
const METADATA_FILES = /^\/(?:favicon\.ico|(?:icon|apple-icon)\d*\.\w+|robots\.txt|manifest\.webmanifest)$/
const INSPECTOR_DOORS = /^\/(?:v1\/|api\/\d+\/|stream$|live$|health$)/

/**
 * @param tunnel path of the tunnel, base path included, where there is one.
 * @param isInspector whether Pagespan's inspector runs in this process, whose handlers are own traffic too.
 */
export function internalPaths(tunnel: string | undefined, basePath: string, isInspector: () => boolean) {
  const bareTunnel = tunnel === undefined ? undefined : withoutSlash(tunnel)
  return (path: string): boolean => {
    if (withoutSlash(path) === bareTunnel || path.startsWith(`${basePath}${NEXT_ASSETS}`)) return true
    if (METADATA_FILES.test(path.slice(basePath.length))) return true
    return isInspector() && INSPECTOR_DOORS.test(path)
  }
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "")
}

/** The Next spans that begin a request. Others without a parent are made while modules load, before any request. */
const REQUEST_SPAN_TYPES: ReadonlySet<unknown> = new Set(["BaseServer.handleRequest", "Middleware.execute"])

/**
 * Requests that carry or serve telemetry, and Next's own assets. Tracing them would make spans out of the delivery of
 * spans. `/v1/` and `/api/` are only Pagespan's own handlers where Pagespan's inspector runs, so that list is given.
 */
export class InternalRequestSampler implements Sampler {
  readonly #next: Sampler
  readonly #isOwn: (path: string) => boolean

  constructor(next: Sampler, isOwn: (path: string) => boolean) {
    this.#next = next
    this.#isOwn = isOwn
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    const isLeftOut = this.#isLocalRoot(context) ? this.#isNoise(attributes) : isUnrecorded(context)
    if (isLeftOut) return { decision: SamplingDecision.NOT_RECORD }
    return this.#next.shouldSample(context, traceId, name, kind, attributes, links)
  }

  #isLocalRoot(context: Context): boolean {
    const parent = trace.getSpanContext(context)
    return parent === undefined || parent.isRemote === true
  }

  #isNoise(attributes: Attributes): boolean {
    const spanType = attributes["next.span_type"]
    if (spanType !== undefined && !REQUEST_SPAN_TYPES.has(spanType)) return true
    const target = attributes["http.target"]
    return typeof target === "string" && this.#isOwn(pathOf(target))
  }

  toString(): string {
    return `InternalRequestSampler{${String(this.#next)}}`
  }
}

/** Below a request that is left out. A span that was recorded has attributes, also after it has ended. */
function isUnrecorded(context: Context): boolean {
  const parent = trace.getSpan(context)
  return parent !== undefined && !("attributes" in parent)
}

function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? target
}
