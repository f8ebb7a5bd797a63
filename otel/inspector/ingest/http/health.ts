import type { DropReason } from "../../../protocol/records/drop.ts"
import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, refusalResponse } from "../../../protocol/transport/responses.ts"
import type { UncaughtCounts } from "../../uncaught-errors.ts"
import { countRefusal, type DropLedger } from "../drop-ledger.ts"
import type { RecordQueue } from "../ingestor.ts"
import { type GuardPolicy, guardPublicRead } from "./guards.ts"

export type StoreState = "starting" | "ready" | "down" | "closed"

export interface HealthHandlerOptions {
  readonly policy: GuardPolicy
  readonly drops: DropLedger
  readonly queue: RecordQueue
  readonly clock: () => number
  readonly storeState: () => StoreState
  /** Why the journal cannot be written, and what to do; `undefined` when it can. */
  readonly journalProblem: () => string | undefined
  /** Used shares of their limits, from 0 to 1. */
  readonly fullness: () => { readonly queue: number; readonly journal: number }
  readonly uncaught: UncaughtCounts
}

/** Past this share the report is unhealthy, so that an alert comes before records are refused. */
const FULL_SHARE = 0.9

/**
 * Health of the receiver: the queue, the age of its oldest record, measured drops since start by reason, and errors of the
 * process that nothing caught.
 */
export interface HealthReport {
  /** `ok`, or what is wrong in words. */
  readonly status: string
  readonly queue: { readonly depth: number; readonly oldestMs: number }
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>
  readonly uncaught: UncaughtCounts
}

/**
 * `GET /health`: 200 when records are ingested and stored, else 503 with a status that says what is wrong. It needs no
 * token, because it shows numbers only.
 */
export function healthHandler(options: HealthHandlerOptions): (request: HandlerRequest) => Response {
  const { policy, drops } = options
  return (request) => {
    const refusal = guardPublicRead(request, policy)
    if (refusal !== undefined) {
      countRefusal(drops, refusal, "default")
      return refusalResponse(refusal)
    }
    const report = healthReport(options)
    return Response.json(report, { status: report.status === "ok" ? 200 : 503, headers: DYNAMIC_HEADERS })
  }
}

export function healthReport(options: HealthHandlerOptions): HealthReport {
  const { drops, queue, clock, uncaught } = options
  const oldestMs = queue.oldestSince === undefined ? 0 : Math.max(0, clock() - queue.oldestSince)
  return { status: statusOf(options), queue: { depth: queue.depth, oldestMs }, dropped: drops.totals(), uncaught }
}

/** Why new records are refused, or will soon be, and what to do, in a line for people; `undefined` when they are accepted. */
export function ingestProblem({ journalProblem, fullness, storeState }: HealthHandlerOptions): string | undefined {
  const problem = journalProblem()
  if (problem !== undefined) return `${problem} Until then new data is refused.`
  const { queue, journal } = fullness()
  if (Math.max(queue, journal) < FULL_SHARE) return undefined
  const full = `The ${journal > queue ? "journal" : "queue"} is full, because`
  return storeState() === "ready"
    ? `${full} data has arrived faster than the store took it. New data is refused until the store has caught up.`
    : `${full} the store has been unavailable. New data is refused until the store is back and has caught up.`
}

function statusOf({ storeState, journalProblem, fullness }: HealthHandlerOptions): string {
  if (journalProblem() !== undefined) return "journal unavailable"
  const store = storeState()
  if (store !== "ready") return store
  const { queue, journal } = fullness()
  return Math.max(queue, journal) < FULL_SHARE ? "ok" : "queue full"
}
