import type { SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { Environment } from "../../protocol/config-values.ts"
import type { DropReason } from "../../protocol/records/drop.ts"
import { readSdkConfig, type SdkConfig } from "../config.ts"
import { deploymentDefaults } from "../deployment.ts"
import type { PageSettings } from "../page-settings.ts"
import { buildManifest, type BuildManifest, NO_FACTS } from "../routes/build-manifest.ts"
import { setRecordedHeaders } from "../sentry/sanitize-attributes.ts"
import { SanitizingSpanProcessor } from "../sentry/sanitizing-span-processor.ts"
import { TOTAL_OPEN_LIMIT } from "../tunnel/budgets.ts"
import { watchPeers } from "../tunnel/client-address.ts"
import { CollectorProcessor, createCollectorExporter } from "./collector.ts"
import { logRemainingDrops } from "./drops/drop-log.ts"
import { countDrop } from "./drops/count-drop.ts"
import { existingOptions } from "./existing-sdk.ts"
import { setServerFlush } from "./local-inspector.ts"
import { LocalSpanProcessor } from "./local-span-processor.ts"
import { AbandonedResponses, watchResponses } from "./next/abandoned-responses.ts"
import { FailedSteps } from "./next/failed-steps.ts"
import { OuterRequests } from "./next/outer-requests.ts"
import { RequestRoutes } from "./next/request-routes.ts"
import { developmentChecks, watchNext } from "./next/watch-next.ts"
import { pageSettings } from "./page-settings.ts"
import { propagateTrace } from "./propagate-trace.ts"
import { RequestBreadcrumbs, RequestHeaders } from "./request-context.ts"
import { ProxyErrors } from "./request-errors.ts"
import { setServerRuntime } from "./runtime.ts"
import { SampledOutSpans } from "./sampler.ts"
import { LATE_CHILD_MS, type ServerSentry, startSentry } from "./sentry.ts"
import { DELIVERY_LIMIT_MS, RequestDelivery, settled } from "./serverless.ts"
import { attempt, warnOnce } from "./warnings.ts"

const FLUSH_TIMEOUT_MS = 2_000

/** The parts of a traced server that do not depend on whose tracer provider makes its spans. */
export interface ServerParts {
  readonly config: SdkConfig
  readonly manifest: BuildManifest
  readonly sentry: ServerSentry | undefined
  /** Path of the tunnel, base path included, if there is one. */
  readonly tunnelPath: string | undefined
  /** The path of a span: named, sanitized once, then passed to each consumer, and delivered when its request is done. */
  readonly spanProcessors: readonly SpanProcessor[]
  /** The settings for pages, now. */
  settings(): PageSettings
  /** Sets the `service.name` that the settings are derived from. Default: that of the environment or of the app's package. */
  nameService(name: string): void
}

interface SetUp {
  /** Whether the spans come from the tracer provider of an SDK that the app has set up. */
  readonly isJoined: boolean
  /** Whether the server's spans go to the configured collector. */
  readonly exportsSpans: boolean
}

/** Makes the parts, each of which may fail without the others. `undefined` if the environment disables tracing. */
export function serverParts(environment: Environment, { isJoined, exportsSpans }: SetUp): ServerParts | undefined {
  const manifest = attempt("reading the build's routes", buildManifest) ?? NO_FACTS
  const { config, problems } = readSdkConfig(environment, {
    PAGESPAN_TRACE_ORIGINS: manifest.traceOrigins.join(","),
    ...deploymentDefaults(environment),
    ...attempt("reading the options of Sentry.init", existingOptions),
    ...(manifest.spans === undefined ? {} : { PAGESPAN_SPANS: manifest.spans }),
  })
  if (config.OTEL_SDK_DISABLED) return undefined
  for (const [variable, line] of problems)
    // The app's SDK has a propagator of its own, and may support more.
    if (!isJoined || variable !== "OTEL_PROPAGATORS") warnOnce(variable, line)
  setRecordedHeaders(config.PAGESPAN_REQUEST_HEADERS)
  const collector = exportsSpans ? attempt("export to the collector", () => createCollectorExporter(config)) : undefined
  const collectorSpans = collector && new CollectorProcessor(collector, countUnexported, config)
  const sentry = attempt("Sentry", () => startSentry(config, manifest, isJoined))
  const isDevelopment = environment["NODE_ENV"] === "development"
  let settings = pageSettings(config, manifest, isDevelopment)
  // The tunnel's route exists and responds even if the tunnel is off.
  const tunnelPath = settings.tunnel ?? (manifest.tunnel && `${manifest.basePath}${manifest.tunnel}`)
  if (tunnelPath !== undefined) watchPeers()
  return {
    config,
    manifest,
    sentry,
    tunnelPath,
    spanProcessors: [
      new FailedSteps(),
      new OuterRequests(),
      new AbandonedResponses(),
      spanConsumers(manifest, sentry, collectorSpans, isJoined),
      new RequestDelivery({
        deliver: (rootId) => deliverRequest(rootId, sentry, collectorSpans),
        graceMs: LATE_CHILD_MS,
      }),
    ],
    settings: () => settings,
    nameService(name) {
      settings = pageSettings({ ...config, OTEL_SERVICE_NAME: name }, manifest, isDevelopment)
    },
  }
}

function spanConsumers(
  manifest: BuildManifest,
  sentry: ServerSentry | undefined,
  collector: CollectorProcessor | undefined,
  isJoined: boolean,
): SpanProcessor {
  const consumers = [
    new RequestHeaders(isJoined),
    ...(sentry === undefined ? [new SampledOutSpans()] : [sentry.bridge, new ProxyErrors(), new RequestBreadcrumbs()]),
    ...(collector === undefined ? [] : [collector]),
    new LocalSpanProcessor(),
    ...developmentChecks(),
  ]
  const routes = new RequestRoutes(manifest)
  return new SanitizingSpanProcessor(consumers, countFailure, (span) => routes.of(span))
}

/** Starts what runs beside the tracer: propagation to other servers, what the tunnel reads, and delivery at the process's end. */
export function startParts({ config, manifest, sentry, settings, spanProcessors }: ServerParts): void {
  attempt("spans of server actions and caches", () => watchNext(manifest))
  attempt("ends of abandoned responses", watchResponses)
  attempt("propagation to other servers", () => propagateTrace(config.PAGESPAN_TRACE_ORIGINS))
  // An exporter of their own: page spans must not take the places of the server's, and the tunnel's budgets limit them.
  const collector = attempt("export of page spans", () => createCollectorExporter(config, TOTAL_OPEN_LIMIT))
  const flush = () => flushAll(spanProcessors, sentry, collector)
  setServerRuntime({
    config,
    get pageSettings() {
      return settings()
    },
    collector,
    flush,
  })
  setServerFlush(flush)
  flushOnExit(() => flush().then(logRemainingDrops))
}

function countFailure(): void {
  countDrop("server", "internal_sdk_error", "span", 1, "a processor failed")
}

function countUnexported(reason: DropReason, count: number, cause?: string): void {
  countDrop("server", reason, "span", count, "on the way to the collector", { name: "the collector", cause })
}

async function flushAll(
  spanProcessors: readonly SpanProcessor[],
  sentry: ServerSentry | undefined,
  pageCollector: SpanExporter | undefined,
): Promise<void> {
  // A processor that cannot deliver has counted the drop. The process is about to end and must not fail here.
  const exported = Promise.allSettled(spanProcessors.map((processor) => processor.forceFlush()))
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

const EXIT_SIGNALS = ["SIGTERM", "SIGINT"] as const

/** Flushes on SIGTERM and SIGINT. Without another handler for the signal, the process then ends as it would without this one. */
function flushOnExit(flush: () => Promise<void>): void {
  const onSignal = async (signal: NodeJS.Signals) => {
    for (const each of EXIT_SIGNALS) process.off(each, onSignal)
    const isHandled = process.listenerCount(signal) > 0
    if (isHandled) attempt("the flush before the process exits", () => flushBeforeExit(flush))
    await flush()
    if (!isHandled) process.kill(process.pid, signal)
  }
  for (const signal of EXIT_SIGNALS) process.on(signal, onSignal)
}

/**
 * Delays the `process.exit` of another handler until all spans are flushed, or until the next signal. Next's handler exits as
 * soon as the open requests are done, and the flush at the signal does not have their spans.
 */
function flushBeforeExit(flush: () => Promise<void>): void {
  process.once("beforeExit", () => void flush())
  const { exit } = process
  process.exit = ((code) => {
    process.exit = exit
    const end = () => exit.call(process, code)
    for (const signal of EXIT_SIGNALS) process.once(signal, end)
    void flush().finally(end)
  }) as typeof process.exit
}
