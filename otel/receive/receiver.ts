import type { DoorRequest } from "./door-request.ts"
import { randomUUID } from "node:crypto"
import type { Secret } from "../model/secret.ts"
import type { RecordBatch } from "../model/record-batch.ts"
import type { OtlpEncoding, OtlpSignal } from "../wire/otlp/index.ts"
import type { RunLookup } from "../query/filter/index.ts"
import type { Admission } from "./admission.ts"
import { refusalResponse } from "./answer.ts"
import { BodyMemory } from "./body-memory.ts"
import { countRefusal } from "./count-refusal.ts"
import { guardAction, type GuardPolicy, guardKeyHolder, guardRead } from "./guard.ts"
import { guardHost } from "./guard-host.ts"
import { guardViewer } from "./guard-token.ts"
import { healthDoor, type HealthReport, healthReport } from "./health-door.ts"
import { liveDoor } from "./live-door.ts"
import { LiveFeed } from "./live-feed.ts"
import { logsDoor, takeLogs } from "./logs-door.ts"
import { LossLedger } from "./loss-ledger.ts"
import { metricsDoor, takeMetrics } from "./metrics-door.ts"
import type { Handled } from "./otlp-door.ts"
import { createPipeline, type PipelineOptions } from "./pipeline.ts"
import type { Taken } from "./records-context.ts"
import type { Refusal } from "./refusal.ts"
import { sentryDoor } from "./sentry/sentry-door.ts"
import { signIn, type SignIn } from "./session/index.ts"
import { EnvelopeRing } from "./spotlight/envelope-ring.ts"
import { type SourceDoors, sourceDoors, type SourceSettings } from "./spotlight/source-doors.ts"
import { type SpotlightDoors, spotlightDoors } from "./spotlight/spotlight-doors.ts"
import { takeTraces, tracesDoor } from "./traces-door.ts"

/** A clean stop takes at most this long; Relay's shutdown has the same limit. */
const DRAIN_LIMIT_MS = 10_000

/** The doors, as plain functions of the Fetch API, and what stands behind them. */
export interface Receiver {
  traces(request: DoorRequest): Promise<Response>
  logs(request: DoorRequest): Promise<Response>
  metrics(request: DoorRequest): Promise<Response>
  /** OTLP at Sentry's own paths, where the key of a DSN is the token. */
  sentryTraces(request: DoorRequest): Promise<Response>
  sentryLogs(request: DoorRequest): Promise<Response>
  /** Sentry envelopes, from SDKs with a DSN. */
  envelope(request: DoorRequest): Promise<Response>
  /** Single events of old Sentry SDKs. */
  store(request: DoorRequest): Promise<Response>
  /** Spotlight's protocol: takes envelopes by POST, serves them by GET. */
  stream(request: DoorRequest): Promise<Response> | Response
  /** What else Spotlight's readers ask for, on its own port. */
  readonly spotlight: SpotlightDoors
  /** Spotlight's doors to source files. */
  readonly sources: SourceDoors
  live(request: DoorRequest): Response
  health(request: DoorRequest): Response
  /** What `health` answers, for screens in this process. */
  report(): HealthReport
  /** For the read API: the refusal when host, origin or token are wrong, `undefined` when the request may pass. */
  guardRead(request: DoorRequest): Response | undefined
  /** For what changes what is shown: the refusal as above, where the method is not the one given too. */
  guardAction(request: DoorRequest, method: "DELETE" | "POST"): Response | undefined
  /** Sessions of browsers, where a token is asked for. */
  readonly signIn: SignIn
  /** Whether who sent these headers may see records: signed in, or no token is asked for. */
  maySee(headers: Pick<Headers, "get">): boolean
  /** For whatever else is served: the refusal when the host is a foreign one. */
  guardHost(request: DoorRequest): Response | undefined
  /** For OTLP requests that came another way than by HTTP: guard and bounds are the caller's. What is refused is for it to count. */
  take(signal: OtlpSignal, body: Uint8Array, encoding: OtlpEncoding): Promise<Handled>
  /** For records that came another way than by a door. What is refused is for the caller to count or to offer again. */
  admit(batch: Partial<RecordBatch>): Promise<Admission>
  readonly losses: LossLedger
  readonly liveFeed: LiveFeed
  /** For doors beside these: one guard, and one bound for all bodies. */
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
  /** Told of what the doors have taken and acknowledged. Must not throw. Default: nobody is. */
  readonly onTaken?: (taken: Taken) => void
  /** What `run:` means in the filter of a live view. Default: nothing is known of runs. */
  readonly runs?: RunLookup
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly clock?: () => number
  /** At least 0 and below 1, for jitter. Default `Math.random`. */
  readonly random?: () => number
  /** Default 1 s. */
  readonly lossFlushMs?: number
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
  const losses = new LossLedger({ sink, clock, random, newBatchId: randomUUID, flushMs: options.lossFlushMs })
  const { desk, queue, journal, drain } = createPipeline(options, { liveFeed, losses, clock, random })
  const door = { policy, bodies, bodyDeadlineMs: options.bodyDeadlineMs, losses }
  const records = { ...door, desk, clock, onTaken: options.onTaken ?? (() => undefined) }
  const ring = new EnvelopeRing(clock)
  const sentry = { ...records, ring }
  const spotlight = spotlightDoors({ policy, ring, losses, heartbeatMs: options.heartbeatMs })
  const takeStream = sentryDoor(sentry, "stream")
  const health = {
    policy,
    losses,
    queue,
    clock,
    storeState,
    isJournalUnavailable: () => journal.isUnavailable,
    fullness: () => Math.max(queue.fullness, journal.fullness),
  }
  return {
    traces: tracesDoor(records),
    logs: logsDoor(records),
    metrics: metricsDoor(door),
    sentryTraces: tracesDoor({ ...records, guard: guardKeyHolder }),
    sentryLogs: logsDoor({ ...records, guard: guardKeyHolder }),
    envelope: sentryDoor(sentry, "envelope"),
    store: sentryDoor(sentry, "store"),
    stream: (request) => (isRead(request) ? spotlight.stream(request) : takeStream(request)),
    spotlight,
    sources: sourceDoors({ policy, bodies, losses }, options),
    live: liveDoor({ policy, feed: liveFeed, losses, runs: options.runs, heartbeatMs: options.heartbeatMs }),
    health: healthDoor(health),
    report: () => healthReport(health),
    guardRead: (request) => answer(guardRead(request, policy), losses),
    signIn: signIn({ policy, bodies, losses }),
    maySee: (headers) => guardViewer({ headers }, token) === undefined,
    guardAction: (request, method) => answer(guardAction(request, policy, method), losses),
    guardHost: (request) => answer(guardHost(request, hosts), losses),
    async take(signal, body, encoding) {
      await bodies.turns.next()
      if (signal === "metrics") return takeMetrics(door, body, encoding)
      return signal === "traces" ? takeTraces(records, body, encoding) : takeLogs(records, body, encoding)
    },
    admit: (batch) => desk.admit(batch),
    losses,
    liveFeed,
    policy,
    bodies,
    async close() {
      desk.close()
      liveFeed.close()
      await drain(options.drainLimitMs ?? DRAIN_LIMIT_MS)
      await losses.close()
      await journal.close()
    },
  }
}

function isRead({ method }: DoorRequest): boolean {
  return method === "GET" || method === "HEAD"
}

function answer(refusal: Refusal | undefined, losses: LossLedger): Response | undefined {
  if (refusal === undefined) return undefined
  countRefusal(losses, refusal, "default")
  return refusalResponse(refusal)
}
