import {
  type Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type UntypedHandleCall,
} from "@grpc/grpc-js"
import { CLOSE_GRACE_MS, GRPC_MESSAGE_LIMIT_BYTES } from "../../../protocol/limits.ts"
import { encodeResponse, type OtlpSignal } from "../../../protocol/otlp/responses.ts"
import type { Refusal } from "../../../protocol/transport/responses.ts"
import { guardHost } from "../http/host.ts"
import { countRefusal } from "../http/refusals.ts"
import { guardToken } from "../http/token.ts"
import { type Handled, DROPPED_AS } from "../otlp/otlp-handler.ts"
import type { Receiver } from "../receiver.ts"
import { callGate } from "./call-gate.ts"
import { failure, serviceOf, signalOf } from "./service.ts"

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
  const headers = { host, ...(typeof authorization === "string" && { authorization }) }
  const request = new Request("http://server.invalid/", { headers })
  return guardHost(request, policy.hosts) ?? guardToken(request, policy.token)
}
