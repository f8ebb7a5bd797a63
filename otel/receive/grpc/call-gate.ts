import { type Metadata, type ServerInterceptor, ServerInterceptingCall } from "@grpc/grpc-js"
import type { Refusal } from "../refusal.ts"
import { failure } from "./failure.ts"

/** Calls that may be open at once, over all connections. With the limit of a message this bounds what is in memory. */
const OPEN_CALL_LIMIT = 32

const TOO_MANY: Refusal = {
  status: 503,
  reason: "queue_overflow",
  message: "Too many calls at once. Send again later.",
  retryAfterSeconds: 1,
}

/**
 * Looks at a call when its headers have come and before the library reads its message: `refuse` says no, or too many are
 * open. A refused call is told to `onRefused`.
 */
export function callGate(
  refuse: (metadata: Metadata, host: string) => Refusal | undefined,
  onRefused: (refusal: Refusal, path: string) => void,
): ServerInterceptor {
  let open = 0
  return ({ path }, call) => {
    let isOpen = true
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
            onRefused(refusal, path)
            const { code, details, metadata: trailers } = failure(refusal)
            return call.sendStatus({ code, details, metadata: trailers })
          },
          onReceiveMessage: (message, pass) => pass(message),
          onReceiveHalfClose: (pass) => pass(),
          onCancel() {
            end()
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
