import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources"
import type { SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions"
import type { Environment } from "../../protocol/config-values.ts"
import type { DropReason } from "../../protocol/records/drop.ts"
import { readSdkConfig, type SdkConfig } from "../config.ts"
import { buildManifest, type BuildManifest, NO_FACTS } from "../routes/build-manifest.ts"
import { setRecordedHeaders } from "../sentry/sanitize-attributes.ts"
import { SanitizingSpanProcessor } from "../sentry/sanitizing-span-processor.ts"
import { TOTAL_OPEN_LIMIT } from "../tunnel/budgets.ts"
import { watchPeers } from "../tunnel/client-address.ts"
import { CollectorProcessor, createCollectorExporter } from "./collector.ts"
import { countDrop } from "./drops.ts"
import { EdgeRoutes } from "./edge.ts"
import { warnOfExistingSdk } from "./existing-sdk.ts"
import { internalPaths, InternalRequestSampler } from "./internal-requests.ts"
import { localInspector, setServerFlush } from "./local-inspector.ts"
import { LocalSpanProcessor } from "./local-span-processor.ts"
import { pageSettings } from "./page-settings.ts"
import { propagateTrace } from "./propagate-trace.ts"
import { ServerPropagator } from "./propagator.ts"
import { RequestBreadcrumbs, RequestHeaders } from "./request-context.ts"
import { isProxySpan, ProxyErrors } from "./request-errors.ts"
import { serverRuntime, setServerRuntime } from "./runtime.ts"
import { SampledOutSpans, TraceSampler } from "./sampler.ts"
import { LATE_CHILD_MS, type ServerSentry, startSentry } from "./sentry.ts"
import { DELIVERY_LIMIT_MS, RequestDelivery, settled } from "./serverless.ts"
import { attempt, warnOnce } from "./warnings.ts"

const FLUSH_TIMEOUT_MS = 2_000

/**
 * Starts tracing in this server process, once. It registers a tracer provider that exports to Sentry, the collector and the
 * local inspector, and propagates the trace in both directions. A variable with an unusable value is ignored with one
 * warning, and so is a part that does not start.
 */
export function startServer(environment: Environment): void {
  if (serverRuntime() !== undefined) return
  const manifest = attempt("reading the build's routes", buildManifest) ?? NO_FACTS
  const { config, problems } = readSdkConfig(environment, {
    PAGESPAN_TRACE_ORIGINS: manifest.traceOrigins.join(","),
    ...(manifest.spans === undefined ? {} : { PAGESPAN_SPANS: manifest.spans }),
  })
  if (config.OTEL_SDK_DISABLED) return
  for (const [variable, line] of problems) warnOnce(variable, line)
  setRecordedHeaders(config.PAGESPAN_REQUEST_HEADERS)
  const settings = pageSettings(config, manifest, environment["NODE_ENV"] === "development")
  const collector = attempt("export to the collector", () => createCollectorExporter(config))
  const collectorSpans = collector && new CollectorProcessor(collector, countUnexported)
  // An exporter of their own: page spans must not take the places of the server's, and the tunnel's budgets limit them.
  const pageCollector = attempt("export of page spans", () => createCollectorExporter(config, TOTAL_OPEN_LIMIT))
  const sentry = attempt("Sentry", () => startSentry(config, manifest))
  // The tunnel's route exists and responds even if the tunnel is off.
  const tunnelPath = settings.tunnel ?? (manifest.tunnel && `${manifest.basePath}${manifest.tunnel}`)
  if (tunnelPath !== undefined) watchPeers()
  const isInternal = internalPaths(tunnelPath, manifest.basePath, () => localInspector() !== undefined)
  const provider = new NodeTracerProvider({
    resource: resourceOf(config.OTEL_SERVICE_NAME ?? manifest.serviceName),
    sampler: new InternalRequestSampler(traceSampler(config, sentry), isInternal),
    spanProcessors: [
      ...spanProcessors(manifest, sentry, collectorSpans),
      new RequestDelivery({
        deliver: (rootId) => deliverRequest(rootId, sentry, collectorSpans),
        graceMs: LATE_CHILD_MS,
      }),
    ],
  })
  // With Sentry on, Sentry's context manager is registered already.
  provider.register({
    propagator: new ServerPropagator(settings, sentry?.traces),
    ...(sentry === undefined ? {} : { contextManager: null }),
  })
  attempt("propagation to other servers", () => propagateTrace(config.PAGESPAN_TRACE_ORIGINS))
  warnOfExistingSdk(provider)
  const flush = () => flushAll(provider, sentry, pageCollector)
  setServerRuntime({ config, pageSettings: settings, collector: pageCollector, flush })
  setServerFlush(flush)
  flushOnExit(flush)
}

/** The path of a finished span: named, sanitized once, then passed to each consumer. */
function spanProcessors(
  manifest: BuildManifest,
  sentry: ServerSentry | undefined,
  collector: CollectorProcessor | undefined,
): SpanProcessor[] {
  const consumers = [
    new RequestHeaders(),
    ...(sentry === undefined ? [new SampledOutSpans()] : [sentry.bridge, new ProxyErrors(), new RequestBreadcrumbs()]),
    ...(collector === undefined ? [] : [collector]),
    new LocalSpanProcessor(),
  ]
  return [new EdgeRoutes(manifest), new SanitizingSpanProcessor(consumers, countFailure)]
}

/** Spans whose errors reach Sentry through `ProxyErrors` are recorded in unsampled traces too, since errors are not sampled. */
function traceSampler(config: SdkConfig, sentry: ServerSentry | undefined): TraceSampler {
  return new TraceSampler(config, sentry === undefined ? {} : { sampledOut: sentry.sampledOut, isNeeded: isProxySpan })
}

function countFailure(): void {
  countDrop("server", "internal_sdk_error", "span", 1, "a processor failed")
}

function countUnexported(reason: DropReason, count: number): void {
  countDrop("server", reason, "span", count, "on the way to the collector")
}

function resourceOf(service: SdkConfig["OTEL_SERVICE_NAME"]) {
  const named = defaultResource().merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: service }))
  const detected = attempt("detection of the resource", () =>
    detectResources({ detectors: [envDetector, hostDetector] }),
  )
  return detected === undefined ? named : named.merge(detected)
}

async function flushAll(
  provider: NodeTracerProvider,
  sentry: ServerSentry | undefined,
  pageCollector: SpanExporter | undefined,
): Promise<void> {
  // A processor that cannot deliver has counted the drop. The process is about to end and must not fail here.
  const exported = provider.forceFlush().catch(() => undefined)
  const sent = exported.then(() => sentry?.flush(FLUSH_TIMEOUT_MS))
  await settled(Promise.allSettled([sent, pageCollector?.forceFlush?.()]), FLUSH_TIMEOUT_MS)
}

/** Delivers a finished request, and leaves the roots of other requests that still wait for their children. */
async function deliverRequest(
  rootId: string,
  sentry: ServerSentry | undefined,
  collector: CollectorProcessor | undefined,
): Promise<void> {
  sentry?.bridge.emitEnded(rootId)
  await Promise.allSettled([sentry?.flush(DELIVERY_LIMIT_MS), collector?.forceFlush()])
}

/** Flushes on SIGTERM and SIGINT. Without another handler for the signal, the process then ends as it would without this one. */
function flushOnExit(flush: () => Promise<void>): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, async () => {
      const isHandled = process.listenerCount(signal) > 0
      await flush()
      if (!isHandled) process.kill(process.pid, signal)
    })
}
