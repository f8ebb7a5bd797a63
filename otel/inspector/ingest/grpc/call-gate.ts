import { constants, type ServerHttp2Stream } from "node:http2"
import { Metadata, ServerInterceptingCall, type ServerInterceptor, type ServiceError, status } from "@grpc/grpc-js"
import { encodeRetryStatus } from "../../../protocol/otlp/responses.ts"
import { type Refusal, rpcCode } from "../../../protocol/transport/responses.ts"

/** Calls whose messages are read at the same time, over all connections. With the limit of a message this bounds memory. */
const READ_AT_ONCE = 32
/** Calls that wait for their turn. The library reads nothing of them, so each has at most 64 KiB in memory. */
const WAITING_LIMIT = 224
/** Open calls over all connections. */
export const CALLS_AT_ONCE = READ_AT_ONCE + WAITING_LIMIT

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

/** Lets calls begin, some at the same time and the others in the order of their arrival. */
class Turns {
  readonly #begun = new Set<() => void>()
  readonly #waiting = new Set<() => void>()

  /** Calls `begin` at once or later. @returns whether it does: not if too many wait. */
  take(begin: () => void): boolean {
    if (this.#begun.size < READ_AT_ONCE) this.#start(begin)
    else if (this.#waiting.size < WAITING_LIMIT) this.#waiting.add(begin)
    else return false
    return true
  }

  isWaiting(begin: () => void): boolean {
    return this.#waiting.has(begin)
  }

  /** Ends a turn, or the wait for one. */
  end(begin: () => void): void {
    this.#waiting.delete(begin)
    if (!this.#begun.delete(begin)) return
    const [next] = this.#waiting
    if (next === undefined) return
    this.#waiting.delete(next)
    this.#start(next)
  }

  #start(begin: () => void): void {
    this.#begun.add(begin)
    begin()
  }
}

/**
 * Checks a call when its headers have arrived, before the library reads the message, and lets it wait for its turn. Refuses it
 * when `refuse` says so, too many calls wait, its turn does not come within `messageMs`, or its message takes longer than that.
 * Reports refused calls and calls with an incomplete message to `onRefused`.
 */
export function callGate(
  refuse: (metadata: Metadata, host: string) => Refusal | undefined,
  onRefused: (refusal: Refusal, path: string) => void,
  messageMs: number,
): ServerInterceptor {
  const turns = new Turns()
  return ({ path }, call) => {
    let isSettled = false
    let isHalfClosed = false
    let readMessage: (() => void) | undefined
    const begin = (): void => {
      deadline.refresh()
      readMessage?.()
    }
    const end = (): void => {
      clearTimeout(deadline)
      turns.end(begin)
    }
    const refuseCall = (refusal: Refusal): void => {
      end()
      isSettled = true
      onRefused(refusal, path)
      const { code, details, metadata } = failure(refusal)
      call.sendStatus({ code, details, metadata })
    }
    const deadline = setTimeout(() => refuseCall(turns.isWaiting(begin) ? TOO_MANY : TOO_SLOW), messageMs)
    deadline.unref()
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            readMessage = () => pass(metadata)
            const refusal = refuse(metadata, call.getHost()) ?? (turns.take(begin) ? undefined : TOO_MANY)
            if (refusal !== undefined) refuseCall(refusal)
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
