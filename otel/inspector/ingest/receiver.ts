import { randomUUID } from "node:crypto"
import type { OtlpEncoding } from "../../protocol/otlp/message.ts"
import type { OtlpSignal } from "../../protocol/otlp/responses.ts"
import type { RecordBatch } from "../../protocol/records/batch.ts"
import type { Secret } from "../../protocol/secret.ts"
import { BodyMemory } from "../../protocol/transport/read-body.ts"
import type { HandlerRequest, RequestHead } from "../../protocol/transport/request.ts"
import { type Refusal, refusalResponse } from "../../protocol/transport/responses.ts"
import { LiveFeed } from "../live/live-feed.ts"
import { liveHandler } from "../live/live-handler.ts"
import type { RunLookup } from "../search/index.ts"
import { countRefusal, DropLedger } from "./drop-ledger.ts"
import { guardAction, guardHost, guardKeyHolder, type GuardPolicy, guardRead } from "./http/guards.ts"
import { healthHandler, healthReport, type HealthReport } from "./http/health.ts"
import { signIn, type SignIn } from "./http/sign-in.ts"
import { guardViewer } from "./http/token.ts"
import type { IngestResult } from "./ingestor.ts"
import {
  type Handled,
  logsHandler,
  metricsHandler,
  takeLogs,
  takeMetrics,
  type Taken,
  takeTraces,
  tracesHandler,
} from "./otlp/otlp-handlers.ts"
import { createPipeline, type PipelineOptions } from "./pipeline.ts"
import { sentryHandler } from "./sentry/sentry-handler.ts"
import { EnvelopeRing } from "./spotlight/envelope-ring.ts"
import { sourceHandlers, type SourceHandlers, type SourceSettings } from "./spotlight/source-handlers.ts"
import { spotlightHandlers, type SpotlightHandlers } from "./spotlight/spotlight-handlers.ts"

/** A clean stop takes at most this long; Relay's shutdown has the same limit. */
const DRAIN_LIMIT_MS = 10_000

/** The handlers, as plain functions of the Fetch API, and what stands behind them. */
export interface Receiver {
  traces(request: HandlerRequest): Promise<Response>
  logs(request: HandlerRequest): Promise<Response>
  metrics(request: HandlerRequest): Promise<Response>
  /** OTLP at Sentry's own paths, where the key of a DSN is the token. */
  sentryTraces(request: HandlerRequest): Promise<Response>
  sentryLogs(request: HandlerRequest): Promise<Response>
  /** Sentry envelopes, from SDKs with a DSN. */
  envelope(request: HandlerRequest): Promise<Response>
  /** Single events of old Sentry SDKs. */
  store(request: HandlerRequest): Promise<Response>
  /** Spotlight's protocol: takes envelopes by POST, serves them by GET. */
  stream(request: HandlerRequest): Promise<Response> | Response
  /** What else Spotlight's readers ask for, on its own port. */
  readonly spotlight: SpotlightHandlers
  /** Spotlight's handlers to source files. */
  readonly sources: SourceHandlers
  live(request: HandlerRequest): Response
  health(request: HandlerRequest): Response
  /** What `health` answers, for screens in this process. */
  report(): HealthReport
  /** For the read API: the refusal when host, origin or token are wrong, `undefined` when the request may pass. */
  guardRead(request: Pick<RequestHead, "method" | "headers">): Response | undefined
  /** For what changes what is shown: the refusal as above, where the method is not the one given too. */
  guardAction(request: Pick<RequestHead, "method" | "headers">, method: "DELETE" | "POST"): Response | undefined
  /** Sessions of browsers, where a token is asked for. */
  readonly signIn: SignIn
  /** Whether who sent these headers may see records: signed in, or no token is asked for. */
  maySee(headers: Pick<Headers, "get">): boolean
  /** For whatever else is served: the refusal when the host is a foreign one. */
  guardHost(request: Pick<RequestHead, "headers">): Response | undefined
  /** For OTLP requests that came another way than by HTTP: guard and bounds are the caller's. What is refused is for it to count. */
  take(signal: OtlpSignal, body: Uint8Array, encoding: OtlpEncoding): Promise<Handled>
  /** For records that came another way than by a handler. What is refused is for the caller to count or to offer again. */
  ingest(batch: Partial<RecordBatch>): Promise<IngestResult>
  readonly drops: DropLedger
  readonly liveFeed: LiveFeed
  /** For handlers beside these: one guard, and one bound for all bodies. */
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  /** Takes nothing more, brings what it has to the store within 10 s, and leaves the rest to the next start. */
  close(): Promise<void>
}

export interface ReceiverOptions extends PipelineOptions, SourceSettings {
  /** Hosts that are served beside the loopback names. */
  readonly hosts: readonly string[]
  /** Origins whose pages may write beside those on loopback. */
  readonly origins: readonly string[]
  /** Asked for from everyone when set. */
  readonly token: Secret | undefined
  /** Told of what the handlers have taken and acknowledged. Must not throw. Default: nobody is. */
  readonly onStored?: (taken: Taken) => void
  /** What `run:` means in the filter of a live view. Default: nothing is known of runs. */
  readonly runs?: RunLookup
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
  const { sink, storeState, hosts, origins, token, clock = Date.now, random = Math.random } = options
  const policy: GuardPolicy = { hosts, origins, token }
  const bodies = new BodyMemory()
  const liveFeed = new LiveFeed()
  const drops = new DropLedger({ sink, clock, random, newBatchId: randomUUID, flushMs: options.dropFlushMs })
  const { ingestor, queue, journal, drain } = createPipeline(options, { liveFeed, drops, clock, random })
  const handler = { policy, bodies, bodyDeadlineMs: options.bodyDeadlineMs, drops }
  const records = { ...handler, ingestor, clock, onStored: options.onStored ?? (() => undefined) }
  const ring = new EnvelopeRing()
  const sentry = { ...records, ring }
  const spotlight = spotlightHandlers({ policy, ring, drops, heartbeatMs: options.heartbeatMs })
  const takeStream = sentryHandler(sentry, "stream")
  const health = {
    policy,
    drops,
    queue,
    clock,
    storeState,
    isJournalUnavailable: () => journal.isUnavailable,
    fullness: () => Math.max(queue.fullness, journal.fullness),
  }
  return {
    traces: tracesHandler(records),
    logs: logsHandler(records),
    metrics: metricsHandler(handler),
    sentryTraces: tracesHandler({ ...records, guard: guardKeyHolder }),
    sentryLogs: logsHandler({ ...records, guard: guardKeyHolder }),
    envelope: sentryHandler(sentry, "envelope"),
    store: sentryHandler(sentry, "store"),
    stream: (request) => (isRead(request) ? spotlight.stream(request) : takeStream(request)),
    spotlight,
    sources: sourceHandlers({ policy, bodies, drops }, options),
    live: liveHandler({ policy, feed: liveFeed, drops, runs: options.runs, heartbeatMs: options.heartbeatMs }),
    health: healthHandler(health),
    report: () => healthReport(health),
    guardRead: (request) => answer(guardRead(request, policy), drops),
    signIn: signIn({ policy, bodies, drops }),
    maySee: (headers) => guardViewer({ headers }, token) === undefined,
    guardAction: (request, method) => answer(guardAction(request, policy, method), drops),
    guardHost: (request) => answer(guardHost(request, hosts), drops),
    async take(signal, body, encoding) {
      await bodies.turns.next()
      if (signal === "metrics") return takeMetrics(handler, body, encoding)
      return signal === "traces" ? takeTraces(records, body, encoding) : takeLogs(records, body, encoding)
    },
    ingest: (batch) => ingestor.ingest(batch),
    drops,
    liveFeed,
    policy,
    bodies,
    async close() {
      ingestor.close()
      liveFeed.close()
      await drain(options.drainLimitMs ?? DRAIN_LIMIT_MS)
      await drops.close()
      await journal.close()
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
