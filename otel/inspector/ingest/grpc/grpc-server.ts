import {
  Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerUnaryCall,
  type ServiceDefinition,
  type ServiceError,
  status,
  type UntypedHandleCall,
} from "@grpc/grpc-js"
import { CLOSE_GRACE_MS, GRPC_MESSAGE_LIMIT_BYTES } from "../../../protocol/limits.ts"
import { encodeResponse, encodeRetryStatus, type OtlpSignal } from "../../../protocol/otlp/responses.ts"
import { headersOf } from "../../../protocol/transport/request.ts"
import { type Refusal, rpcCode } from "../../../protocol/transport/responses.ts"
import { guardHost } from "../http/guards.ts"
import { countRefusal } from "../drop-ledger.ts"
import { guardToken } from "../http/token.ts"
import { DROPPED_AS, type Handled } from "../otlp/otlp-handlers.ts"
import type { Receiver } from "../receiver.ts"

/** Requests that one connection may have open at once; exporters have one or a few. */
const STREAMS_A_CONNECTION = 32

export interface GrpcListening {
  readonly port: number
  /** Takes no new call; resolves when the running ones have ended, after a grace by force. */
  close(): Promise<void>
}

/**
 * OTLP/gRPC without TLS: the same guard, bounds, decoder and admission as OTLP/HTTP, answered in gRPC's words. Messages
 * are bounded at 4 MiB, before and after inflation, by the library; how many are read at once, by the gate; and all that
 * are being handled, by the bound for bodies of the other handlers.
 *
 * @throws {Error} when the port cannot be listened on.
 */
export async function openGrpc(receiver: Receiver, host: string, port: number): Promise<GrpcListening> {
  const gate = callGate(
    (metadata, callHost) => guardCall(receiver, metadata, callHost),
    (refusal, path) => countRefusal(receiver.drops, refusal, DROPPED_AS[signalOf(path)]),
  )
  const server = new Server({
    "grpc.max_receive_message_length": GRPC_MESSAGE_LIMIT_BYTES,
    "grpc.max_concurrent_streams": STREAMS_A_CONNECTION,
    interceptors: [gate],
  })
  for (const signal of ["traces", "logs", "metrics"] as const)
    server.addService(serviceOf(signal), { Export: exportCall(receiver, signal) as UntypedHandleCall })
  const bound = await bind(server, `${host.includes(":") ? `[${host}]` : host}:${port}`)
  return {
    port: bound,
    close: () =>
      new Promise((resolve) => {
        // A call of which half was sent would never end.
        const force = setTimeout(() => server.forceShutdown(), CLOSE_GRACE_MS)
        server.tryShutdown(() => {
          clearTimeout(force)
          resolve()
        })
      }),
  }
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port)
      else reject(error)
    })
  })
}

type Call = ServerUnaryCall<Buffer, Buffer>

function exportCall(receiver: Receiver, signal: OtlpSignal) {
  return (call: Call, answer: sendUnaryData<Buffer>): void => {
    void takeCall(receiver, signal, call).then((handled) => {
      if (handled.ok) return answer(null, Buffer.from(encodeResponse(signal, "protobuf", handled.partial)))
      countRefusal(receiver.drops, handled.refusal, DROPPED_AS[signal], handled.droppedCount)
      return answer(failure(handled.refusal))
    })
  }
}

async function takeCall(receiver: Receiver, signal: OtlpSignal, call: Call): Promise<Handled> {
  const { bodies } = receiver
  const { length } = call.request
  if (!bodies.reserve(length)) return { ok: false, refusal: bodies.refusal }
  try {
    return await receiver.take(signal, call.request, "protobuf")
  } catch {
    // A bug of ours. Its message may quote what was sent, so it goes nowhere; the count says that it happened.
    return { ok: false, refusal: UNFORESEEN }
  } finally {
    bodies.release(length)
  }
}

const UNFORESEEN: Refusal = { status: 500, reason: "internal_sdk_error", message: "The request could not be handled." }

/** The guards of OTLP/HTTP read a request's headers; a call has the same under other names. */
function guardCall({ policy }: Receiver, metadata: Metadata, host: string): Refusal | undefined {
  const [authorization] = metadata.get("authorization")
  const headers = headersOf({ host, authorization: typeof authorization === "string" ? authorization : undefined })
  return guardHost({ headers }, policy.hosts) ?? guardToken({ headers }, policy.token)
}

/** Calls that may be open at once, over all connections. With the limit of a message this bounds what is in memory. */
const OPEN_CALL_LIMIT = 32

const TOO_MANY: Refusal = {
  status: 503,
  reason: "queue_overflow",
  message: "Too many calls at once. Send again later.",
  retryAfterSeconds: 1,
}

/** The library refuses a message itself that is too large, or that does not inflate, and tells nobody which of it it was. */
const NEVER_WHOLE: Refusal = {
  status: 413,
  reason: "malformed",
  message: "A call ended before its message had come whole: it was too large, could not be inflated, or broke off.",
}

/**
 * Looks at a call when its headers have come and before the library reads its message: `refuse` says no, or too many are
 * open. A refused call is told to `onRefused`, and so is one whose message never came whole.
 */
export function callGate(
  refuse: (metadata: Metadata, host: string) => Refusal | undefined,
  onRefused: (refusal: Refusal, path: string) => void,
): ServerInterceptor {
  let open = 0
  return ({ path }, call) => {
    let isOpen = true
    let isSettled = false
    open += 1
    const end = () => {
      if (isOpen) open -= 1
      isOpen = false
    }
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const refusal = refuse(metadata, call.getHost()) ?? (open > OPEN_CALL_LIMIT ? TOO_MANY : undefined)
            if (refusal === undefined) return pass(metadata)
            end()
            isSettled = true
            onRefused(refusal, path)
            const { code, details, metadata: trailers } = failure(refusal)
            return call.sendStatus({ code, details, metadata: trailers })
          },
          onReceiveMessage(message, pass) {
            isSettled = true
            pass(message)
          },
          onReceiveHalfClose: (pass) => pass(),
          onCancel() {
            end()
            if (!isSettled) onRefused(NEVER_WHOLE, path)
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
 * A refusal as a gRPC status. One that a client may send again is `UNAVAILABLE` with the time to wait as `RetryInfo`, by
 * which OTLP's exporters know both.
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

/** Full names of OTLP's three services, whose one method is `Export`. */
const SERVICES = {
  traces: "opentelemetry.proto.collector.trace.v1.TraceService",
  logs: "opentelemetry.proto.collector.logs.v1.LogsService",
  metrics: "opentelemetry.proto.collector.metrics.v1.MetricsService",
} as const satisfies Record<OtlpSignal, string>

const same = (bytes: Buffer): Buffer => bytes

/** Bytes in and out: what is in them is read by the one decoder that OTLP/HTTP has as well. */
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
