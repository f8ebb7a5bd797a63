import { type Context, propagation } from "@opentelemetry/api"
import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions"
import type { Environment } from "../../../protocol/config-values.ts"
import { shouldSample } from "../../sentry/sampling.ts"
import { countDrop } from "../drops/count-drop.ts"
import { registeredPropagator, replaceGlobal } from "../existing-sdk.ts"
import { InternalSpans } from "../internal-requests.ts"
import { RequestEnds } from "./request-ends.ts"
import { localInspector } from "../local-inspector.ts"
import { ServerPropagator } from "../propagator.ts"
import { serverRuntime } from "../runtime.ts"
import { SpansAroundRequests } from "../spans-around-requests.ts"
import { sampleRate } from "../../config.ts"
import { type ServerParts, serverParts, startParts } from "../server-parts.ts"
import { warn, warnOnce } from "../warnings.ts"

/** OpenTelemetry's name of a service that nobody has named, with the name of the program. */
const UNNAMED = "unknown_service"

/**
 * Starts tracing in this server process with the spans of an SDK that the app has set up.
 *
 * @param exportToCollector whether the server's spans go to the configured collector.
 * @param missed calls that did not wait for this one, counted as dropped.
 * @returns `undefined` if the environment disables tracing, or `register` has started it already.
 */
export function joinSdk(
  environment: Environment,
  exportToCollector: boolean,
  missed: number,
): SpanProcessor | undefined {
  if (serverRuntime() !== undefined) {
    warn("PagespanSpanProcessor does nothing, because register of pagespan/server ran first: call register after it")
    return undefined
  }
  const parts = serverParts(environment, { isJoined: true, exportsSpans: exportToCollector })
  if (parts === undefined) return undefined
  startParts(parts)
  if (missed > 0) countDrop("server", "queue_overflow", "span", missed, "before the SDK had loaded")
  const processor = new JoinedSpanProcessor(parts)
  processor.joinPropagator()
  return processor
}

class JoinedSpanProcessor implements SpanProcessor {
  readonly #parts: ServerParts
  readonly #around = new SpansAroundRequests()
  readonly #internal: InternalSpans
  readonly #requestEnds = new RequestEnds()
  #isPropagating = false
  #isNamed = false

  constructor(parts: ServerParts) {
    this.#parts = parts
    this.#internal = new InternalSpans(parts.tunnelPath, parts.manifest.basePath, () => localInspector() !== undefined)
  }

  onStart(span: Span, parentContext: Context): void {
    const started = span as unknown as ReadableSpan
    if (isOfSdk1(started)) return
    this.joinPropagator()
    this.#requestEnds.watch(span, parentContext)
    this.#nameService(started)
    if (this.#around.start(started, parentContext)) return
    const request = this.#around.within(started)
    if (this.#internal.start(request, parentContext)) return
    for (const processor of this.#parts.spanProcessors) processor.onStart(request as unknown as Span, parentContext)
  }

  onEnd(span: ReadableSpan): void {
    if (isOfSdk1(span) || this.#around.has(span) || this.#internal.has(span)) return
    const request = this.#around.within(span)
    for (const processor of this.#parts.spanProcessors) processor.onEnd(request)
  }

  async forceFlush(): Promise<void> {
    await serverRuntime()?.flush()
  }

  async shutdown(): Promise<void> {
    await Promise.allSettled(this.#parts.spanProcessors.map((processor) => processor.shutdown()))
    await serverRuntime()?.flush()
  }

  /** Adds Pagespan's headers and settings to the propagator of the app's SDK, once that has registered it. */
  joinPropagator(): void {
    const theirs = registeredPropagator()
    if (this.#isPropagating || theirs === undefined) return
    this.#isPropagating = true
    const { config, sentry, settings } = this.#parts
    const rate = sampleRate(config)
    const joined = new ServerPropagator(settings, sentry?.traces, {
      propagator: theirs,
      readsSentryTrace: true,
      isSampled: (traceId) => shouldSample(traceId, rate),
    })
    const isJoined = replaceGlobal("propagation", () => propagation.setGlobalPropagator(joined))
    if (!isJoined)
      warn(
        "the propagator of another version of @opentelemetry/api is registered, so pages do not get their settings: check npm ls @opentelemetry/api",
      )
  }

  /** Pages get the service name that the spans of this server have. */
  #nameService({ resource }: ReadableSpan): void {
    if (this.#isNamed) return
    this.#isNamed = true
    const name = resource.attributes[ATTR_SERVICE_NAME]
    if (typeof name === "string" && !name.startsWith(UNNAMED)) this.#parts.nameService(name)
  }
}

/** OpenTelemetry's SDK 1 has other names for a span's parent and scope. */
function isOfSdk1(span: ReadableSpan): boolean {
  const isOld = span.instrumentationScope === undefined
  if (isOld) warnOnce("sdk-1", "PagespanSpanProcessor needs OpenTelemetry's SDK 2, and does nothing with SDK 1")
  return isOld
}
