import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from "@grpc/grpc-js"
import type { Refusal } from "../../../protocol/transport/responses.ts"
import { failure } from "./service.ts"

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
