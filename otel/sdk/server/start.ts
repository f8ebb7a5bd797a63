import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources"
import type { SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions"
import type { Environment } from "../../protocol/config-values.ts"
import type { DropReason } from "../../protocol/records/drop.ts"
import { readSdkConfig, type SdkConfig } from "../config.ts"
import { buildManifest, NO_FACTS } from "../routes/build-manifest.ts"
import { setRecordedHeaders } from "../sentry/sanitize-attributes.ts"
import { SanitizingSpanProcessor } from "../sentry/sanitizing-span-processor.ts"
import { CollectorProcessor, createCollectorExporter } from "./collector.ts"
import { countDrop } from "./drops.ts"
import { EdgeRoutes } from "./edge.ts"
import { attempt, warnOfExistingSdk, warnOnce } from "./existing-sdk.ts"
import { internalPaths, InternalRequestSampler } from "./internal-requests.ts"
import { localInspector } from "./local-inspector.ts"
import { LocalSpanProcessor } from "./local-span-processor.ts"
import { pageSettings } from "./page-settings.ts"
import { propagateTrace } from "./propagate-trace.ts"
import { ServerPropagator } from "./propagator.ts"
import { RequestBreadcrumbs, RequestFacts } from "./request-context.ts"
import { ProxyErrors } from "./request-errors.ts"
import { serverRuntime, setServerRuntime } from "./runtime.ts"
import { SampledOutSpans, TraceSampler } from "./sampler.ts"
import { type ServerSentry, startSentry } from "./sentry.ts"

const FLUSH_TIMEOUT_MS = 2_000

/**
 * Starts tracing in this server process, once: our tracer provider with the bridge to Sentry, the collector's
 * exporter and the local inspector as its processors, and propagation in every direction. What a variable asks for and
 * cannot be is warned of, once, and left out; so is a part that does not start.
 */
export function startServer(environment: Environment): void {
  if (serverRuntime() !== undefined) return
  const facts = attempt("what the build knows of routes", buildManifest) ?? NO_FACTS
  const { config, problems } = readSdkConfig(environment, {
    PAGESPAN_TRACE_ORIGINS: facts.traceOrigins.join(","),
    ...(facts.spans === undefined ? {} : { PAGESPAN_SPANS: facts.spans }),
  })
  if (config.OTEL_SDK_DISABLED) return
  for (const [variable, line] of problems) warnOnce(variable, line)
  setRecordedHeaders(config.PAGESPAN_REQUEST_HEADERS)
  const settings = pageSettings(config, facts, environment["NODE_ENV"] === "development")
  const collector = attempt("export to the collector", () => createCollectorExporter(config))
  const sentry = attempt("Sentry", () => startSentry(config))
  // The route is there, and answers, even where the tunnel is off.
  const handler = settings.tunnel ?? (facts.tunnel && `${facts.basePath}${facts.tunnel}`)
  const isOwn = internalPaths(handler, facts.basePath, () => localInspector() !== undefined)
  const provider = new NodeTracerProvider({
    resource: resourceOf(config.OTEL_SERVICE_NAME ?? facts.serviceName),
    sampler: new InternalRequestSampler(new TraceSampler(config), isOwn),
    spanProcessors: [
      new EdgeRoutes(facts),
      new SanitizingSpanProcessor(
        [
          new RequestFacts(),
          ...(sentry === undefined
            ? [new SampledOutSpans()]
            : [sentry.bridge, new ProxyErrors(), new RequestBreadcrumbs()]),
          ...(collector === undefined ? [] : [new CollectorProcessor(collector, droppedSpans)]),
          new LocalSpanProcessor(),
        ],
        () => countDrop("server", "internal_sdk_error", "span", 1, "a processor failed"),
      ),
    ] satisfies SpanProcessor[],
  })
  // With Sentry on, its context manager is registered already: it forks Sentry's scopes with each context.
  provider.register({
    propagator: new ServerPropagator(settings),
    ...(sentry === undefined ? {} : { contextManager: null }),
  })
  attempt("propagation to other servers", () => propagateTrace(config.PAGESPAN_TRACE_ORIGINS))
  warnOfExistingSdk(provider)
  setServerRuntime({ config, pageSettings: settings, collector, flush: () => flush(provider, sentry) })
  flushOnExit()
}

function droppedSpans(reason: DropReason, count: number): void {
  countDrop("server", reason, "span", count, "on the way to the collector")
}

function resourceOf(service: SdkConfig["OTEL_SERVICE_NAME"]) {
  const named = defaultResource().merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: service }))
  const detected = attempt("detection of the resource", () =>
    detectResources({ detectors: [envDetector, hostDetector] }),
  )
  return detected === undefined ? named : named.merge(detected)
}

async function flush(provider: NodeTracerProvider, sentry: ServerSentry | undefined): Promise<void> {
  const timeout = new Promise<void>((resolve) => void setTimeout(resolve, FLUSH_TIMEOUT_MS).unref())
  // A processor that cannot deliver has counted its drop; the process is ending and must end.
  const delivered = provider.forceFlush().catch(() => undefined)
  const sent = delivered.then(() => sentry?.flush(FLUSH_TIMEOUT_MS)).catch(() => undefined)
  await Promise.race([sent, timeout])
}

/** Delivers what waits. Where nobody else handles the signal, it then does what it would have done without us. */
function flushOnExit(): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, async () => {
      const isHandled = process.listenerCount(signal) > 0
      await serverRuntime()?.flush()
      if (!isHandled) process.kill(process.pid, signal)
    })
}
