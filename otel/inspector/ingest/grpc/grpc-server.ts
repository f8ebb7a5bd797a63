import {
  type Metadata,
  type sendUnaryData,
  Server,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedHandleCall,
} from "@grpc/grpc-js"
import { GRPC_MESSAGE_LIMIT_BYTES } from "../../../protocol/limits.ts"
import { encodeResponse, type OtlpSignal } from "../../../protocol/otlp/responses.ts"
import { headersOf } from "../../../protocol/transport/request.ts"
import type { Refusal } from "../../../protocol/transport/responses.ts"
import { countRefusal } from "../drop-ledger.ts"
import { senderOf } from "../sender-of.ts"
import { guardHost } from "../http/guards.ts"
import { guardToken } from "../http/token.ts"
import { DROPPED_AS, type Handled } from "../otlp/otlp-handlers.ts"
import type { Receiver } from "../receiver.ts"
import { callGate, CALLS_AT_ONCE, failure } from "./call-gate.ts"
import { type GrpcListening, listenForGrpc } from "./grpc-listener.ts"

/**
 * Concurrent calls of one connection. Exporters have a few. A client that opens one more is disconnected, and loses all of them.
 * `grpc-go` does so at this limit, because it does not count a call that was refused while it sent its message. So the gate
 * refuses calls long before.
 */
const STREAMS_A_CONNECTION = 2 * CALLS_AT_ONCE

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
