import { constants, type ServerHttp2Stream } from "node:http2"
import {
  Metadata,
  type sendUnaryData,
  Server,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerUnaryCall,
  type ServiceDefinition,
  type ServiceError,
  status,
  type UntypedHandleCall,
} from "@grpc/grpc-js"
import { GRPC_MESSAGE_LIMIT_BYTES } from "../../../protocol/limits.ts"
import { encodeResponse, encodeRetryStatus, type OtlpSignal } from "../../../protocol/otlp/responses.ts"
import { headersOf } from "../../../protocol/transport/request.ts"
import { type Refusal, rpcCode } from "../../../protocol/transport/responses.ts"
import { countRefusal } from "../drop-ledger.ts"
import { senderOf } from "../sender-of.ts"
import { guardHost } from "../http/guards.ts"
import { guardToken } from "../http/token.ts"
import { DROPPED_AS, type Handled } from "../otlp/otlp-handlers.ts"
import type { Receiver } from "../receiver.ts"
import { type GrpcListening, listenForGrpc } from "./grpc-listener.ts"

/** Concurrent calls of one connection. Exporters have one or a few. */
const STREAMS_A_CONNECTION = 32

/** How long clients may take, in milliseconds. */
export interface GrpcTimeouts {
  /** To send the message of a call. */
  readonly messageMs: number
  /** Between two calls on a connection, before the first one, and between two pings. */
  readonly idleMs: number
}

/** OTLP exporters end a call after 10 s, and send at least once a minute (metrics). */
const TIMEOUTS: GrpcTimeouts = { messageMs: 10_000, idleMs: 120_000 }
/** Time in which a client answers a ping. The library's default. */
const PING_TIMEOUT_MS = 20_000

/**
 * OTLP/gRPC without TLS, with the guard, limits, decoder and ingestor of OTLP/HTTP. The library limits a message to
 * 4 MiB, before and after inflation. The call gate limits the number of open calls. All messages in memory share the
 * limit of HTTP bodies.
 *
 * @throws {Error} when it cannot listen on the port.
 */
export function openGrpc(
  receiver: Receiver,
  host: string,
  port: number,
  timeouts: GrpcTimeouts = TIMEOUTS,
): Promise<GrpcListening> {
  const gate = callGate(
    (metadata, callHost) => guardCall(receiver, metadata, callHost),
    (refusal, path) => countRefusal(receiver.drops, refusal, DROPPED_AS[signalOf(path)]),
    timeouts.messageMs,
  )
  const server = new Server({
    "grpc.max_receive_message_length": GRPC_MESSAGE_LIMIT_BYTES,
    "grpc.max_concurrent_streams": STREAMS_A_CONNECTION,
    "grpc.max_connection_idle_ms": timeouts.idleMs,
    // An idle connection is closed once its streams have ended. These end one with a stream that never begins or ends.
    "grpc.keepalive_time_ms": timeouts.idleMs,
    "grpc.keepalive_timeout_ms": Math.min(timeouts.idleMs, PING_TIMEOUT_MS),
    interceptors: [gate],
  })
  for (const signal of ["traces", "logs", "metrics"] as const)
    server.addService(serviceOf(signal), { Export: exportCall(receiver, signal) as UntypedHandleCall })
  return listenForGrpc(server, host, port, timeouts.idleMs)
}

type Call = ServerUnaryCall<Buffer, Buffer>

function exportCall(receiver: Receiver, signal: OtlpSignal) {
  return (call: Call, answer: sendUnaryData<Buffer>): void => {
    void ingestCall(receiver, signal, call).then((handled) => {
      if (handled.ok) return answer(null, Buffer.from(encodeResponse(signal, "protobuf", handled.partial)))
      countRefusal(receiver.drops, handled.refusal, DROPPED_AS[signal], handled.droppedCount, senderOfCall(call))
      return answer(failure(handled.refusal))
    })
  }
}

function senderOfCall({ metadata }: Call): string {
  return senderOf({ headers: headersOf({ "user-agent": metadata.get("user-agent").join(" ") }) })
}

async function ingestCall(receiver: Receiver, signal: OtlpSignal, call: Call): Promise<Handled> {
  const { bodies } = receiver
  const { length } = call.request
  if (!bodies.reserve(length)) return { ok: false, refusal: bodies.refusal }
  try {
    return await receiver.export(signal, call.request, "protobuf", () => senderOfCall(call))
  } catch {
    // A bug. Its message may quote the request, so only the count reports it.
    return { ok: false, refusal: INTERNAL_ERROR }
  } finally {
    bodies.release(length)
  }
}

const INTERNAL_ERROR: Refusal = {
  status: 500,
  reason: "internal_sdk_error",
  message: "Internal error: the request was not ingested.",
}

/** The guards of OTLP/HTTP, with the headers of a call. */
function guardCall({ policy }: Receiver, metadata: Metadata, host: string): Refusal | undefined {
  const [authorization] = metadata.get("authorization")
  const headers = headersOf({ host, authorization: typeof authorization === "string" ? authorization : undefined })
  return guardHost({ headers }, policy.hosts) ?? guardToken({ headers }, policy.token)
}

/** Open calls over all connections. With the limit of a message this bounds memory. */
const OPEN_CALL_LIMIT = 32

const TOO_MANY: Refusal = {
  status: 503,
  reason: "queue_overflow",
  message: "Too many concurrent calls. Retry later.",
  retryAfterSeconds: 1,
}

/** The library refuses a message that is too large or does not inflate, and does not report which. */
const INCOMPLETE_MESSAGE: Refusal = {
  status: 413,
  reason: "malformed",
  message: "A call ended before its message was complete: the message was too large, did not inflate, or broke off.",
}

const TOO_SLOW: Refusal = {
  status: 408,
  reason: "network_error",
  message: "Request timeout: the message did not arrive in time.",
}

/**
 * Checks a call when its headers have arrived, before the library reads the message. Refuses it when `refuse` says so, too
 * many calls are open, or the message takes longer than `messageMs`. Reports refused calls and calls with an incomplete
 * message to `onRefused`.
 */
export function callGate(
  refuse: (metadata: Metadata, host: string) => Refusal | undefined,
  onRefused: (refusal: Refusal, path: string) => void,
  messageMs: number,
): ServerInterceptor {
  let open = 0
  return ({ path }, call) => {
    let isOpen = true
    let isSettled = false
    let isHalfClosed = false
    open += 1
    const end = () => {
      clearTimeout(deadline)
      if (isOpen) open -= 1
      isOpen = false
    }
    const refuseCall = (refusal: Refusal) => {
      end()
      isSettled = true
      onRefused(refusal, path)
      const { code, details, metadata } = failure(refusal)
      call.sendStatus({ code, details, metadata })
    }
    const deadline = setTimeout(() => refuseCall(TOO_SLOW), messageMs)
    deadline.unref()
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const refusal = refuse(metadata, call.getHost()) ?? (open > OPEN_CALL_LIMIT ? TOO_MANY : undefined)
            if (refusal === undefined) pass(metadata)
            else refuseCall(refusal)
          },
          onReceiveMessage(message, pass) {
            isSettled = true
            pass(message)
          },
          onReceiveHalfClose(pass) {
            isHalfClosed = true
            clearTimeout(deadline)
            pass()
          },
          // Called after every status, and when the client cancels.
          onCancel() {
            end()
            if (!isHalfClosed) endStream(call)
            if (!isSettled) onRefused(INCOMPLETE_MESSAGE, path)
            isSettled = true
          },
        }),
      sendMetadata: (metadata, pass) => pass(metadata),
      sendMessage: (message, pass) => pass(message),
      sendStatus(status, pass) {
        end()
        pass(status)
      },
    })
  }
}

/**
 * Ends the client's side of a call that was refused before its message was complete, after the status is written: from Node
 * 26 on, a stream that closes sooner loses its status. The library ends only its own side, and would read and discard what a
 * client continues to send. `grpc-go`, and so every Collector, neither sends the rest nor ends its side: such a stream would
 * count as open until the end of the connection. The library has no public access to the stream. A test fails if this access
 * no longer works.
 */
function endStream(call: object): void {
  const { stream } = call as { readonly stream?: ServerHttp2Stream }
  setImmediate(() => stream?.close(constants.NGHTTP2_NO_ERROR))
}

/**
 * A refusal as a gRPC status. A retryable one is `UNAVAILABLE` with `RetryInfo`, as OTLP specifies.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#failures
 */
export function failure({ status: httpStatus, message, retryAfterSeconds }: Refusal): ServiceError {
  const isRetryable = retryAfterSeconds !== undefined
  const code = isRetryable ? status.UNAVAILABLE : rpcCode(httpStatus)
  const metadata = new Metadata()
  if (isRetryable)
    metadata.set("grpc-status-details-bin", Buffer.from(encodeRetryStatus({ code, message }, retryAfterSeconds)))
  return Object.assign(new Error(message), { code, details: message, metadata })
}

/** OTLP's three services. Each has one method, `Export`. */
const SERVICES = {
  traces: "opentelemetry.proto.collector.trace.v1.TraceService",
  logs: "opentelemetry.proto.collector.logs.v1.LogsService",
  metrics: "opentelemetry.proto.collector.metrics.v1.MetricsService",
} as const satisfies Record<OtlpSignal, string>

const same = (bytes: Buffer): Buffer => bytes

/** Passes bytes through: the decoder of OTLP/HTTP reads them. */
export function serviceOf(signal: OtlpSignal): ServiceDefinition<{ Export: UntypedHandleCall }> {
  return {
    Export: {
      path: `/${SERVICES[signal]}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    },
  }
}

/** The signal of a method's path. */
export function signalOf(path: string): OtlpSignal {
  if (path.includes(".logs.")) return "logs"
  return path.includes(".metrics.") ? "metrics" : "traces"
}
