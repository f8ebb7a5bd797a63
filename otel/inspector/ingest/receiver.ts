import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { OtlpEncoding } from "../../protocol/otlp/message.ts"
import type { OtlpSignal } from "../../protocol/otlp/responses.ts"
import type { RecordBatch } from "../../protocol/records/batch.ts"
import type { Secret } from "../../protocol/secret.ts"
import { BodyMemory } from "../../protocol/transport/read-body.ts"
import { type HandlerRequest, otlpEncoding, type RequestHead } from "../../protocol/transport/request.ts"
import { quoteForMessage, type Refusal, refusalResponse } from "../../protocol/transport/responses.ts"
import { LiveFeed } from "../live/live-feed.ts"
import { liveHandler } from "../live/live-handler.ts"
import type { RunLookup } from "../search/index.ts"
import { steadyClock } from "../clocks.ts"
import { uncaughtErrors } from "../uncaught-errors.ts"
import type { Acknowledged } from "./acknowledged.ts"
import { countRefusal, DropLedger } from "./drop-ledger.ts"
import { guardAction, guardHost, guardKeyHolder, type GuardPolicy, guardRead } from "./http/guards.ts"
import { healthHandler, healthReport, type HealthReport, ingestProblem } from "./http/health.ts"
import { signIn, type SignIn } from "./http/sign-in.ts"
import { guardViewer } from "./http/token.ts"
import type { IngestResult } from "./ingestor.ts"
import {
  exportLogs,
  exportMetrics,
  exportTraces,
  type Handled,
  logsHandler,
  metricsHandler,
  type RecordsContext,
  type SenderName,
  tracesHandler,
} from "./otlp/otlp-handlers.ts"
import { senderOf } from "./sender-of.ts"
import { createPipeline, type Pipeline, type PipelineOptions } from "./pipeline.ts"
import { sentryHandler } from "./sentry/sentry-handler.ts"
import { EnvelopeRing } from "./spotlight/envelope-ring.ts"
import { sourceHandlers, type SourceHandlers, type SourceSettings } from "./spotlight/source-handlers.ts"
import { spotlightHandlers, type SpotlightHandlers } from "./spotlight/spotlight-handlers.ts"

/** Longest clean stop. Relay has the same default (`shutdown_timeout`). */
const DRAIN_LIMIT_MS = 10_000

/** How long a stop waits for batches that are being written, before it closes forwarding. */
const ACCEPTED_LIMIT_MS = 1_000

/** Memory of all bodies before their senders are known: sixteen of Node's largest chunks, or far more sign-ins. */
const UNKNOWN_BODIES_BYTES = 1024 * 1024

/** Every endpoint as a function from request to response, and the pipeline behind them. */
export interface Receiver {
  traces(request: HandlerRequest): Promise<Response>
  logs(request: HandlerRequest): Promise<Response>
  metrics(request: HandlerRequest): Promise<Response>
  /** OTLP at Sentry's paths. The public key of the DSN is the token. */
  sentryTraces(request: HandlerRequest): Promise<Response>
  sentryLogs(request: HandlerRequest): Promise<Response>
  /** Sentry envelopes. */
  envelope(request: HandlerRequest): Promise<Response>
  /** Single events, as old Sentry SDKs send them. */
  store(request: HandlerRequest): Promise<Response>
  /** Spotlight's protocol: ingests envelopes by POST, streams them by GET. */
  stream(request: HandlerRequest): Promise<Response> | Response
  /** Spotlight's other endpoints, on its own port. */
  readonly spotlight: SpotlightHandlers
  /** Spotlight's endpoints for source files. */
  readonly sources: SourceHandlers
  live(request: HandlerRequest): Response
  health(request: HandlerRequest): Response
  /** The health report, for screens in this process. */
  report(): HealthReport
  /** Why new records are refused, and what to do, in a line for people; `undefined` when they are accepted. It names directories. */
  problem(): string | undefined
  /** Why acknowledged records cannot be stored, though the store is ready, in a line for people; else `undefined`. */
  insertProblem(): string | undefined
  /** Guards the read API: the refusal for a wrong host, origin or token, else `undefined`. Refusals are counted. */
  guardRead(request: Pick<RequestHead, "method" | "headers">): Response | undefined
  /** Guards endpoints that change data: as `guardRead`, and the method must be the one given. */
  guardAction(request: Pick<RequestHead, "method" | "headers">, method: "DELETE" | "POST"): Response | undefined
  /** Browser sessions, where a token is configured. */
  readonly signIn: SignIn
  /** Whether the sender of these headers may see records: it has a session or the token, or no token is configured. */
  maySee(headers: Pick<Headers, "get">): boolean
  /** Guards what the pages of this host send through the tunnel: a wrong host, and a page that is not signed in. */
  guardPage(request: Pick<RequestHead, "headers">): Response | undefined
  /** Guards everything else: the refusal for a host that is not allowed, else `undefined`. */
  guardHost(request: Pick<RequestHead, "headers">): Response | undefined
  /** Refuses and counts OTLP that was sent to a path without a handler. `undefined` for a request that is no OTLP. */
  misdirected(request: RequestHead, path: string): Response | undefined
  /** Ingests an OTLP request that did not arrive by HTTP. The caller guards it, limits it, and counts what is refused. */
  export(signal: OtlpSignal, body: Uint8Array, encoding: OtlpEncoding, sender: SenderName): Promise<Handled>
  /** Ingests records that did not arrive at a handler. The caller counts what is refused, or retries. */
  ingest(batch: Partial<RecordBatch>): Promise<IngestResult>
  readonly drops: DropLedger
  readonly liveFeed: LiveFeed
  /** Shared with the gRPC server: one guard policy, and one limit for all bodies. */
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  /** Refuses new records, flushes to the store for at most 11 s, and leaves the rest in the journal for the next start. */
  close(): Promise<void>
}

export interface ReceiverOptions extends PipelineOptions, SourceSettings {
  /** Allowed hosts besides the loopback names. */
  readonly hosts: readonly string[]
  /** Allowed origins of pages that write, besides those on loopback. */
  readonly origins: readonly string[]
  /** When set, every request needs it. */
  readonly token: Secret | undefined
  /** Called with what was acknowledged, to forward it. Must not throw. Default: does nothing. */
  readonly onStored?: ((stored: Acknowledged) => void) | undefined
  /** Called by `close`, to close what still records drops: these are stored too. Default: does nothing. */
  readonly onClose?: (() => Promise<void>) | undefined
  /** Resolves `run:` in the filter of a live view. Default: knows no runs. */
  readonly runs?: RunLookup
  /** `service.name`s of Pagespan's own spans, which a live view can hide. Default: none. */
  readonly internalServices?: readonly string[]
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly clock?: () => number
  /** At least 0 and below 1, for jitter. Default `Math.random`. */
  readonly random?: () => number
  /** Default 1 s. */
  readonly dropFlushMs?: number
  /** Default 30 s. */
  readonly bodyDeadlineMs?: number
  /** Default 15 s. */
  readonly heartbeatMs?: number
  /** Default 10 s. */
  readonly drainLimitMs?: number
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const { sink, hosts, origins, token, clock = Date.now, random = Math.random } = options
  const policy: GuardPolicy = { hosts, origins, token }
  const steady = steadyClock(clock)
  const bodies = new BodyMemory()
  const unknownBodies = new BodyMemory(UNKNOWN_BODIES_BYTES)
  const liveFeed = new LiveFeed()
  const drops = new DropLedger({ sink, clock, random, newBatchId: randomUUID, flushMs: options.dropFlushMs, liveFeed })
  const pipeline = createPipeline(options, { liveFeed, drops, clock: steady, random })
  const { ingestor, queue, journal, storeState, insertProblem } = pipeline
  const handler = { policy, bodies, bodyDeadlineMs: options.bodyDeadlineMs, drops }
  const records = { ...handler, ingestor, clock, onStored: options.onStored }
  const ring = new EnvelopeRing()
  const sentry = { ...records, ring, unknownBodies }
  const spotlight = spotlightHandlers({ policy, ring, drops, heartbeatMs: options.heartbeatMs })
  const ingestStream = sentryHandler(sentry, "stream")
  const health = {
    policy,
    drops,
    queue,
    clock: steady,
    storeState,
    journalProblem: () => journal.problem,
    fullness: () => ({ queue: queue.fullness, journal: journal.fullness }),
    uncaught: uncaughtErrors(),
  }
  return {
    traces: tracesHandler(records),
    logs: logsHandler(records),
    metrics: metricsHandler(handler),
    sentryTraces: tracesHandler({ ...records, guard: guardKeyHolder }),
    sentryLogs: logsHandler({ ...records, guard: guardKeyHolder }),
    envelope: sentryHandler(sentry, "envelope"),
    store: sentryHandler(sentry, "store"),
    stream: (request) => (isRead(request) ? spotlight.stream(request) : ingestStream(request)),
    spotlight,
    sources: sourceHandlers({ policy, bodies, drops }, options),
    live: liveHandler({ ...options, policy, feed: liveFeed, drops }),
    health: healthHandler(health),
    report: () => healthReport(health),
    problem: () => ingestProblem(health),
    insertProblem,
    signIn: signIn({ policy, unknownBodies, drops, clock: steady }),
    ...guardsOf(policy, drops),
    export: exportWith(records),
    ingest: (batch) => ingestor.ingest(batch),
    drops,
    liveFeed,
    policy,
    bodies,
    close: closeWith(pipeline, { liveFeed, drops }, options),
  }
}

/** Each step is limited in time: a store that hangs must not keep the journal open until the process is killed. */
function closeWith(
  { ingestor, drain, journal }: Pipeline,
  { liveFeed, drops }: Pick<Receiver, "drops" | "liveFeed">,
  { drainLimitMs: limitMs = DRAIN_LIMIT_MS, onClose }: ReceiverOptions,
): Receiver["close"] {
  return async () => {
    const start = performance.now()
    const accepted = ingestor.close()
    liveFeed.close()
    // What is accepted after this is offered to forwarding too.
    const closeForwarding = async () => {
      await Promise.race([accepted, delay(ACCEPTED_LIMIT_MS, undefined, { ref: false })])
      await onClose?.()
    }
    try {
      await Promise.all([drain(limitMs), closeForwarding()])
      await drops.close(start + limitMs - performance.now())
    } finally {
      await journal.close()
    }
  }
}

/** Ingests a request of any signal, when it is its turn. */
function exportWith(context: RecordsContext): Receiver["export"] {
  return async (signal, body, encoding, sender) => {
    await context.bodies.turns.next()
    if (signal === "metrics") return exportMetrics(context, body, encoding, sender)
    const exportRecords = signal === "traces" ? exportTraces : exportLogs
    return exportRecords(context, body, encoding, sender)
  }
}

type Guards = Pick<Receiver, "guardAction" | "guardHost" | "guardPage" | "guardRead" | "maySee" | "misdirected">

function guardsOf(policy: GuardPolicy, drops: DropLedger): Guards {
  const { hosts, token } = policy
  return {
    guardRead: (request) => answer(guardRead(request, policy), drops),
    guardAction: (request, method) => answer(guardAction(request, policy, method), drops),
    guardPage: (request) => answer(guardHost(request, hosts) ?? guardViewer(request, token), drops),
    guardHost: (request) => answer(guardHost(request, hosts), drops),
    maySee: (headers) => guardViewer({ headers }, token) === undefined,
    misdirected(request, path) {
      const encoding = otlpEncoding(request)
      if (encoding === undefined) return undefined
      const refusal: Refusal = {
        status: 404,
        reason: "malformed",
        message: "Nothing is ingested at this path: OTLP/HTTP is at /v1/traces, /v1/logs and /v1/metrics.",
        sample: `path ${quoteForMessage(path)}`,
      }
      countRefusal(drops, refusal, "default", 1, senderOf(request))
      return refusalResponse(refusal, encoding)
    },
  }
}

function isRead({ method }: HandlerRequest): boolean {
  return method === "GET" || method === "HEAD"
}

function answer(refusal: Refusal | undefined, drops: DropLedger): Response | undefined {
  if (refusal === undefined) return undefined
  countRefusal(drops, refusal, "default")
  return refusalResponse(refusal)
}
