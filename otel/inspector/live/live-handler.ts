import type { HandlerRequest } from "../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, type Refusal, refusalResponse } from "../../protocol/transport/responses.ts"
import { countRefusal, type DropLedger } from "../ingest/drop-ledger.ts"
import { type GuardPolicy, guardRead } from "../ingest/http/guards.ts"
import { traceSummaryToJson } from "../queries/list/trace-summary.ts"
import { parseFilter, type RunLookup } from "../search/index.ts"
import type { LiveFeed, LiveNews, LiveSubscription } from "./live-feed.ts"

/** Proxies and browsers give up on connections that are silent for some 30 to 60 seconds. */
const HEARTBEAT_MS = 15_000
/** A browser keeps six for each host; this is ten people with a few tabs each. */
const CONNECTION_LIMIT = 64
/** How long a browser waits before it connects again. */
const RECONNECT_MS = 2_000

const TOO_MANY: Refusal = {
  status: 503,
  reason: "queue_overflow",
  message: `More than ${CONNECTION_LIMIT} live views are open.`,
  retryAfterSeconds: 30,
}

export interface LiveHandlerOptions {
  readonly policy: GuardPolicy
  readonly feed: LiveFeed
  readonly drops: DropLedger
  /** What `run:` means in a filter. Default: nothing is known of runs. */
  readonly runs?: RunLookup | undefined
  /** Default 15 s. */
  readonly heartbeatMs?: number | undefined
}

/**
 * `GET /live` as server-sent events: `traces` with `TraceSummaryJson[]`, `errors` and `items` with how many came, `skipped` with
 * how many traces were left out, and a comment as heartbeat. With `q`, a filter, `traces` are those that pass it, and `others` what happened to the rest: a
 * reader may have some of them on screen. A stream takes news only when the connection can, so a slow reader costs a bounded amount.
 */
export function liveHandler({
  policy,
  feed,
  drops,
  runs,
  heartbeatMs,
}: LiveHandlerOptions): (request: HandlerRequest) => Response {
  return (request) => {
    const refusal = guardRead(request, policy) ?? (feed.subscriberCount < CONNECTION_LIMIT ? undefined : TOO_MANY)
    if (refusal !== undefined) {
      countRefusal(drops, refusal, "default")
      return refusalResponse(refusal)
    }
    const { tree, problem } = parseFilter(new URL(request.url).searchParams.get("q") ?? "", runs)
    if (problem !== undefined) return Response.json(problem, { status: 400, headers: DYNAMIC_HEADERS })
    // A stream that HEAD would not read must not be opened.
    const stream =
      request.method === "HEAD" ? null : eventStream(request, feed.subscribe(tree), heartbeatMs ?? HEARTBEAT_MS)
    return new Response(stream, {
      headers: { ...DYNAMIC_HEADERS, "content-type": "text/event-stream; charset=utf-8" },
    })
  }
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
        const news = await subscription.next(heartbeatMs)
        if (subscription.isClosed) controller.close()
        else controller.enqueue(encoder.encode(news === undefined ? ": still here\n\n" : eventText(news)))
      },
      cancel: close,
    },
    { highWaterMark: 1 },
  )
}

function eventText({ traces, others, errors, items, skipped }: LiveNews): string {
  return [
    traces.length > 0 ? event("traces", traces.map(traceSummaryToJson)) : "",
    others.length > 0 ? event("others", others.map(traceSummaryToJson)) : "",
    errors > 0 ? event("errors", { errors }) : "",
    items > 0 ? event("items", { items }) : "",
    skipped > 0 ? event("skipped", { skipped }) : "",
  ].join("")
}

/** JSON has no raw line breaks, so the data is always one line. */
function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
