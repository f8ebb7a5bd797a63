import { context, trace } from "@opentelemetry/api"
import { suppressTracing } from "@opentelemetry/core"
import { RandomIdGenerator, type ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { type Client, dsnFromString, type Event, type EventHint, type Integration } from "@sentry/core"
import * as Sentry from "@sentry/nextjs"
import { INGEST_SPAN_LIMIT, QUEUED_ENVELOPE_LIMIT } from "../../protocol/limits.ts"
import { dropCategory, dropReason } from "../../protocol/records/drop.ts"
import { redactAddress } from "../../protocol/redact.ts"
import { sampleRate, type SdkConfig } from "../config.ts"
import { logFilterFailure } from "../filter-failure.ts"
import { currentFilters } from "../filters.ts"
import type { BuildManifest } from "../routes/build-manifest.ts"
import { nameWithRoute } from "../routes/request-span.ts"
import { withPublicAddresses } from "../routes/served-paths.ts"
import { countingTransport, watchClientDrops } from "../sentry/client-reports.ts"
import { addErrorProcessor, type ErrorTrace } from "../sentry/error-processor.ts"
import {
  orgIdOfHost,
  type OwnRoot,
  type SamplingContexts,
  type SentryProject,
  type TracedSpan,
  transactionName,
} from "../sentry/sampling-context.ts"
import { recordedHeaders, sanitizeOutgoing } from "../sentry/sanitize-attributes.ts"
import { redactServerEvent } from "../sentry/sanitize-payload.ts"
import { sharingContexts } from "../sentry/shared-contexts.ts"
import { semconvMapping } from "../sentry/span-mapping.ts"
import { sendSpanStream } from "../sentry/span-stream.ts"
import { type TransactionOutput, TransactionProcessor } from "../sentry/transaction-processor.ts"
import { transactionRequest, TransactionSender } from "../sentry/transaction-sender.ts"
import { TraceContinuation } from "./continue-trace.ts"
import type { Destination } from "./drops/drop-log.ts"
import { countDrop } from "./drops/count-drop.ts"
import { adoptExistingClient, replaceGlobal, useSentryContexts, WITHOUT_SETUP } from "./existing-sdk.ts"
import type { SentryTraces } from "./propagator.ts"
import { isParentBased } from "./sampler.ts"
import { failedStep } from "./next/failed-steps.ts"
import { DELIVERY_LIMIT_MS, holdRequest } from "./serverless.ts"
import { isSampledOut } from "./trace-state.ts"

/** Sentry's integrations that create spans or patch modules. Next and OpenTelemetry create the spans here. */
const EXCLUDED_INTEGRATIONS: ReadonlySet<string> = new Set([
  "Http",
  "NodeFetch",
  "Console",
  "Spotlight",
  "ProcessSession",
  "LocalVariables",
  "Modules",
])

/** Milliseconds for which an ended root waits for Next's late children: streamed parts finish after the response starts. */
export const LATE_CHILD_MS = 500

const SENTRY: Destination = { name: "Sentry" }

export interface ServerSentry {
  readonly bridge: TransactionProcessor
  readonly traces: SentryTraces
  /** Counts what is not recorded because its trace is not sampled. */
  sampledOut(category: "transaction" | "span"): void
  flush(timeoutMs: number): Promise<void>
}

/**
 * The server's Sentry client, for errors and as the transport of transactions: the app's own, or one of ours. `undefined`
 * without a DSN.
 *
 * @param isJoined whether an SDK that the app has set up makes and samples the spans.
 */
export function startSentry(config: SdkConfig, manifest: BuildManifest, isJoined: boolean): ServerSentry | undefined {
  const dsn = config.SENTRY_DSN?.reveal()
  const own = Sentry.getClient()
  // Also one without a DSN, or with `enabled: false`: its OpenTelemetry globals would take Next's spans.
  if (own !== undefined) adoptExistingClient(own, isJoined)
  if (dsn === undefined) return undefined
  const client = own ?? startClient(config, dsn)
  if (client === undefined) return undefined
  const continuation = continuationOf(client, config, dsn, manifest, isJoined)
  const service = config.OTEL_SERVICE_NAME ?? manifest.serviceName
  return bridgeTo(client, config, { service, continuation, isJoined })
}

function startClient(config: SdkConfig, dsn: string): Client | undefined {
  return Sentry.init({
    dsn,
    environment: config.SENTRY_ENVIRONMENT,
    ...(config.SENTRY_RELEASE === undefined ? {} : { release: config.SENTRY_RELEASE }),
    ...WITHOUT_SETUP,
    enableRuntimeChannelInjection: false,
    traceLifecycle: "static",
    transport: countingTransport(Sentry.makeNodeTransport, countClientDrop),
    transportOptions: { bufferSize: QUEUED_ENVELOPE_LIMIT },
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: { request: { allow: recordedHeaders() } },
      httpBodies: [],
      urlQueryParams: false,
    },
    integrations: (defaults: Integration[]) =>
      defaults
        .filter(({ name }) => !EXCLUDED_INTEGRATIONS.has(name))
        .map((integration) => (integration.name === "Context" ? sharingContexts(integration) : integration)),
  }) as Client | undefined
}

interface BridgeOptions {
  readonly service: string
  readonly continuation: TraceContinuation
  readonly isJoined: boolean
}

function bridgeTo(client: Client, config: SdkConfig, { service, continuation, isJoined }: BridgeOptions): ServerSentry {
  if (isJoined) replaceGlobal("context", useSentryContexts)
  else useSentryContexts()
  hideDeliveries(client)
  const isTraced = (span: TracedSpan) => isJoined || isRecordable(span)
  const report = watchClientDrops(client, countClientDrop)
  const contexts = continuation.contexts((span) => bridge.rootOf(span))
  const bridge = new TransactionProcessor(createSink(config, client, contexts, report))
  shareSamplingContext(client, contexts, isTraced)
  const traceOf = (hint: EventHint) => {
    const span = spanOf(hint)
    if (span === undefined || !isTraced(span)) return undefined
    return { span, samplingContext: contexts.of(span), defaults: defaultsOf(bridge.rootOf(span)) }
  }
  client.addEventProcessor((event, hint) => (isNamedByUrl(event) ? { ...event, ...traceName(traceOf(hint)) } : event))
  addErrorProcessor(client, {
    side: "server",
    service,
    filters: currentFilters,
    traceOf,
    drop: (reason, sample) => countDrop("bridge", reason, "error", 1, sample, SENTRY),
    filterFailed,
  })
  // Added last, so that an app's own `beforeSend` sees the original error.
  client.addEventProcessor((event) => redactServerEvent(event, client.getOptions().normalizeDepth))
  // The spans of a request deliver its transactions. An error may belong to a request that is not recorded.
  client.on("preprocessEvent", ({ type }) => {
    if (type !== "transaction") holdRequest(async () => client.flush(DELIVERY_LIMIT_MS))
  })
  return {
    bridge,
    traces: { contexts, continuation },
    sampledOut: (category) => report("sample_rate", category, 1),
    flush: async (timeoutMs) => void (await client.flush(timeoutMs)),
  }
}

/** An instrumentation of `node:http` or `fetch` would make a span of each envelope. Sentry suppresses only its own. */
function hideDeliveries(client: Client): void {
  const transport = client.getTransport()
  const send = transport?.send.bind(transport)
  if (transport === undefined || send === undefined) return
  transport.send = (envelope) => context.with(suppressTracing(context.active()), () => send(envelope))
}

/**
 * The span for which an event was captured, or the active one. If Next has recorded the error on a step below it, it is that step, as
 * for errors that Next reports: an app may capture one earlier, where Next logs it, with `captureConsoleIntegration`.
 */
function spanOf({ data, originalException }: EventHint): TracedSpan | undefined {
  const given = (data as { span?: ReadableSpan } | undefined)?.span
  const active = trace.getActiveSpan()
  return given ?? (active && failedStep(active, originalException)) ?? active
}

/** Whether a span is recorded, or would be if its trace were sampled. An internal request is neither. */
function isRecordable(span: TracedSpan): boolean {
  return span.attributes !== undefined || isSampledOut(span.spanContext())
}

/** The route and request of an event that the app captures itself. Errors from Next have them already. */
function defaultsOf(open: OwnRoot | undefined): ErrorTrace["defaults"] {
  if (open === undefined) return undefined
  const name = transactionName(open)
  const transaction = name === undefined ? undefined : nameWithRoute(name, open.root.attributes)
  const { attributes } = sanitizeOutgoing(open.root.attributes)
  const request = transactionRequest(withPublicAddresses(attributes, open.route))
  return { ...(transaction === undefined ? {} : { transaction }), ...(request === undefined ? {} : { request }) }
}

/** The client of an app names what it captures by the URL of the request; of the route only its own tracing would know. */
function isNamedByUrl({ type, transaction, sdkProcessingMetadata }: Event): boolean {
  const { method = "GET", url = "" } = sdkProcessingMetadata?.normalizedRequest ?? {}
  return type === undefined && URL.canParse(url) && transaction === `${method.toUpperCase()} ${new URL(url).pathname}`
}

function traceName(trace: ErrorTrace | undefined): Pick<Event, "transaction"> {
  const name = trace?.defaults?.transaction
  return name === undefined ? {} : { transaction: name }
}

/** The data was sent, so this is counted in the category `internal`. */
function filterFailed(filter: string, error: unknown): void {
  countDrop("bridge", "filter_failed", "internal", 1, redactAddress(logFilterFailure(filter, error)))
}

/** Counts what the client itself drops. */
function countClientDrop(reason: string, category: string, count: number): void {
  countDrop("server", dropReason(reason), dropCategory(category), count, "by the Sentry client", SENTRY)
}

function continuationOf(
  client: Client,
  config: SdkConfig,
  dsn: string,
  manifest: BuildManifest,
  isSampledByApp: boolean,
): TraceContinuation {
  const components = dsnFromString(dsn)
  // An app's own client may name the organization of a self-hosted Sentry, whose host does not.
  const { orgId } = client.getOptions() as { orgId?: number | string }
  const project: SentryProject = {
    publicKey: components?.publicKey ?? "",
    environment: config.SENTRY_ENVIRONMENT,
    release: config.SENTRY_RELEASE,
    orgId: orgId === undefined ? orgIdOfHost(components?.host ?? "") : String(orgId),
    sampleRate: sampleRate(config),
    ratesAllTraces: !isParentBased(config),
    isSampledByApp,
  }
  return new TraceContinuation(project, manifest)
}

/** Makes Sentry's own functions propagate the same sampling context that our envelopes carry. */
function shareSamplingContext(
  client: Client,
  contexts: SamplingContexts,
  isTraced: (span: TracedSpan) => boolean,
): void {
  client.on("createDsc", (dsc, rootSpan) => {
    const span = rootSpan as TracedSpan | undefined
    if (span === undefined || !isTraced(span)) return
    for (const key of Object.keys(dsc)) delete dsc[key as keyof typeof dsc]
    Object.assign(dsc, contexts.of(span))
  })
}

function createSink(
  config: SdkConfig,
  client: Client,
  contexts: SamplingContexts,
  report: ReturnType<typeof watchClientDrops>,
): TransactionOutput {
  const drop: TransactionOutput["drop"] = (reason, category, count, sample) => {
    countDrop("bridge", reason, category, count, redactAddress(sample), SENTRY)
    report(reason, category, count)
  }
  const sender = new TransactionSender({
    client,
    setting: config.PAGESPAN_SPANS,
    stream: () => sendSpanStream,
    drop: (count, sample) => drop("limit_spans", "span", count, sample),
  })
  return {
    side: "server",
    graceMs: LATE_CHILD_MS,
    spanLimit: INGEST_SPAN_LIMIT,
    filters: currentFilters,
    filterFailed,
    deliver: (transaction) => sender.send(transaction, contexts.of(transaction.root)),
    drop,
    newEventId: new RandomIdGenerator().generateTraceId,
    mapping: semconvMapping,
    requestOf: (root) => transactionRequest(root.attributes),
  }
}
