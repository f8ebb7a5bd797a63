import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import {
  DYNAMIC_HEADERS,
  EVENT_STREAM_HEADERS,
  type Refusal,
  refusalResponse,
} from "../../../protocol/transport/responses.ts"
import { Signal } from "../../signal.ts"
import { countRefusal, type DropLedger } from "../drop-ledger.ts"
import { guardAction, type GuardPolicy, guardPublicRead, guardRead } from "../http/guards.ts"
import type { EnvelopeRing } from "./envelope-ring.ts"
import { eventText } from "./event-text.ts"

/** Proxies and browsers close connections that are idle for 30 to 60 seconds. */
const HEARTBEAT_MS = 15_000
const CONNECTION_LIMIT = 64

const TOO_MANY: Refusal = {
  status: 503,
  reason: "queue_overflow",
  message: `Too many connections: ${CONNECTION_LIMIT} readers of the stream are open.`,
  retryAfterSeconds: 30,
}

export interface SpotlightContext {
  readonly policy: GuardPolicy
  readonly ring: EnvelopeRing
  readonly drops: DropLedger
  readonly heartbeatMs?: number | undefined
}

/** Spotlight's endpoints for readers. Unlike the sidecar's, they refuse pages of other origins. */
export interface SpotlightHandlers {
  /** `GET /stream`: held and new envelopes as server-sent events. `Last-Event-ID` resumes; `?base64=1` adds `;base64` to event names. */
  stream(request: HandlerRequest): Response
  /** `GET /envelope/{id}`: the bytes of a held envelope. */
  envelope(request: HandlerRequest, id: string): Response
  /** `DELETE /clear`: empties the ring. The store is not affected. */
  clear(request: HandlerRequest): Response
  /** `GET /health` of Spotlight's port, by which its tools recognize a sidecar. */
  health(request: HandlerRequest): Response
}

export function spotlightHandlers(context: SpotlightContext): SpotlightHandlers {
  const { policy, ring, drops } = context
  const guarded = (refusal: Refusal | undefined, answer: () => Response): Response => {
    if (refusal === undefined) return answer()
    countRefusal(drops, refusal, "default")
    return refusalResponse(refusal)
  }
  return {
    stream(request) {
      const refusal = guardRead(request, policy) ?? (ring.readerCount < CONNECTION_LIMIT ? undefined : TOO_MANY)
      return guarded(refusal, () => {
        // HEAD has no body, so it opens no stream.
        const body = request.method === "HEAD" ? null : eventStream(request, ring, context.heartbeatMs ?? HEARTBEAT_MS)
        return new Response(body, { headers: EVENT_STREAM_HEADERS })
      })
    },
    envelope: (request, id) =>
      guarded(guardRead(request, policy), () => {
        const entry = ring.find(id)
        if (entry === undefined) return new Response("Not found", { status: 404, headers: DYNAMIC_HEADERS })
        const headers = {
          ...DYNAMIC_HEADERS,
          "content-type": "application/x-sentry-envelope",
          "content-disposition": `attachment; filename="${entry.id}.envelope"`,
        }
        return new Response(entry.bytes as Uint8Array<ArrayBuffer>, { headers })
      }),
    clear: (request) =>
      guarded(guardAction(request, policy, "DELETE"), () => {
        ring.clear()
        return new Response("Cleared", { headers: DYNAMIC_HEADERS })
      }),
    health: (request) =>
      guarded(
        guardPublicRead(request, policy),
        () => new Response("OK", { headers: { ...DYNAMIC_HEADERS, "x-powered-by": "spotlight-by-sentry" } }),
      ),
  }
}

function eventStream(request: HandlerRequest, ring: EnvelopeRing, heartbeatMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const base64 = new URL(request.url).searchParams.get("base64") !== null
  const arrival = new Signal()
  const unwatch = ring.watch(() => arrival.wake())
  let last = request.headers.get("last-event-id") ?? ""
  let isClosed = false
  const close = () => {
    isClosed = true
    unwatch()
    arrival.wake()
  }
  request.signal.addEventListener("abort", close, { once: true })
  if (request.signal.aborted) close()
  return new ReadableStream<Uint8Array>(
    {
      // Firefox fires `open` when the first byte arrives.
      start: (controller) => controller.enqueue(encoder.encode("\n")),
      async pull(controller) {
        if (ring.after(last) === undefined && !isClosed) await arrival.sleep(heartbeatMs)
        const entry = ring.after(last)
        if (isClosed) return controller.close()
        last = entry?.id ?? last
        controller.enqueue(encoder.encode(entry === undefined ? ": heartbeat\n\n" : eventText(entry, base64)))
      },
      cancel: close,
    },
    { highWaterMark: 1 },
  )
}
