import type { HandlerRequest } from "../../protocol/transport/request.ts"
import {
  DYNAMIC_HEADERS,
  EVENT_STREAM_HEADERS,
  type Refusal,
  refusalResponse,
} from "../../protocol/transport/responses.ts"
import { countRefusal, type DropLedger } from "../ingest/drop-ledger.ts"
import { type GuardPolicy, guardRead } from "../ingest/http/guards.ts"
import { traceSummaryToJson } from "../queries/list/trace-summary.ts"
import { parseFilter, type RunLookup, withoutInternal } from "../search/index.ts"
import type { LiveFeed, LiveSubscription, LiveUpdate, WatchInterest } from "./live-feed.ts"

/** Proxies and browsers close connections that are idle for 30 to 60 seconds. */
const HEARTBEAT_MS = 15_000
/** Ten users with a few tabs each; browsers open at most six connections per host. */
const CONNECTION_LIMIT = 64
/** Time before a browser reconnects. */
const RECONNECT_MS = 2_000

const TOO_MANY: Refusal = {
  status: 503,
  reason: "queue_overflow",
  message: `Too many connections: ${CONNECTION_LIMIT} live views are open.`,
  retryAfterSeconds: 30,
}

export interface LiveHandlerOptions {
  readonly policy: GuardPolicy
  readonly feed: LiveFeed
  readonly drops: DropLedger
  /** Resolves `run:` in a filter. Default: knows no runs. */
  readonly runs?: RunLookup | undefined
  /** `service.name`s of Pagespan's own spans, for `own=hide`. Default: none. */
  readonly internalServices?: readonly string[] | undefined
  /** Default 15 s. */
  readonly heartbeatMs?: number | undefined
}

/**
 * `GET /live` as server-sent events: `traces` with `TraceSummaryJson[]`, `errors`, `items`, `logs` and `drops` with numbers of new ones,
 * `skipped` with the number of skipped traces, and a comment as heartbeat. With the filter `q`, `traces` are those that
 * match, and `others` are those that do not, because a screen may show some of them. With `own=hide`, traces that
 * have only spans of internal services are among `others`. With `watches=also`, `watches` has the states of all watches after
 * each change, with `watches=only` nothing else. A stream requests updates only as fast as the connection sends them, so a slow
 * reader costs bounded memory.
 */
export function liveHandler({
  policy,
  feed,
  drops,
  runs,
  internalServices = [],
  heartbeatMs,
}: LiveHandlerOptions): (request: HandlerRequest) => Response {
  return (request) => {
    const refusal = guardRead(request, policy) ?? (feed.subscriberCount < CONNECTION_LIMIT ? undefined : TOO_MANY)
    if (refusal !== undefined) {
      countRefusal(drops, refusal, "default")
      return refusalResponse(refusal)
    }
    const { searchParams } = new URL(request.url)
    const { tree, problem } = parseFilter(searchParams.get("q") ?? "", runs)
    if (problem !== undefined) return Response.json(problem, { status: 400, headers: DYNAMIC_HEADERS })
    const selected = searchParams.get("own") === "hide" ? withoutInternal(tree, internalServices) : tree
    // HEAD has no body, so it opens no stream.
    const stream =
      request.method === "HEAD"
        ? null
        : eventStream(request, feed.subscribe(selected, interestOf(searchParams)), heartbeatMs ?? HEARTBEAT_MS)
    return new Response(stream, { headers: EVENT_STREAM_HEADERS })
  }
}

function interestOf(parameters: URLSearchParams): WatchInterest {
  const interest = parameters.get("watches")
  return interest === "also" || interest === "only" ? interest : "none"
}

function eventStream(
  request: HandlerRequest,
  subscription: LiveSubscription,
  heartbeatMs: number,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const close = () => subscription.close()
  request.signal.addEventListener("abort", close, { once: true })
  if (request.signal.aborted) close()
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`)),
      async pull(controller) {
        const update = await subscription.next(heartbeatMs)
        if (subscription.isClosed) controller.close()
        else controller.enqueue(encoder.encode(update === undefined ? ": heartbeat\n\n" : eventText(update)))
      },
      cancel: close,
    },
    { highWaterMark: 1 },
  )
}

function eventText({ traces, others, errors, items, logs, drops, skipped, watches }: LiveUpdate): string {
  return [
    traces.length > 0 ? event("traces", traces.map(traceSummaryToJson)) : "",
    others.length > 0 ? event("others", others.map(traceSummaryToJson)) : "",
    errors > 0 ? event("errors", { errors }) : "",
    items > 0 ? event("items", { items }) : "",
    logs > 0 ? event("logs", { logs }) : "",
    drops > 0 ? event("drops", { drops }) : "",
    skipped > 0 ? event("skipped", { skipped }) : "",
    watches === undefined ? "" : event("watches", watches),
  ].join("")
}

/** JSON has no raw line breaks, so the data is always one line. */
function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
