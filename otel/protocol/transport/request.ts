import { OTLP_MEDIA_TYPES, type OtlpEncoding } from "../otlp/message.ts"
import { quoteForMessage, type Refusal } from "./responses.ts"

/**
 * What the handlers read of a request. A `Request` is one, as route files get it; the start command makes its own of what
 * `node:http` gives it, since to make a `Request` takes as long as to read the spans in it.
 */
export interface HandlerRequest {
  readonly method: string
  readonly url: string
  readonly headers: Pick<Headers, "get">
  readonly body: ReadableStream<Uint8Array> | BodySource | null
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

export interface BodySource {
  /**
   * Hands over chunks as they come, until one is answered with `false` or `stop` is called. Resolves then, or at the end
   * of the body; rejects when the connection breaks.
   */
  read(take: (chunk: Uint8Array) => boolean): Promise<void>
  stop(): void
}

export function bodySource(body: ReadableStream<Uint8Array> | BodySource): BodySource {
  return body instanceof ReadableStream ? streamSource(body) : body
}

function streamSource(body: ReadableStream<Uint8Array>): BodySource {
  const reader = body.getReader()
  const stop = () => {
    // The client may be gone already, in which case there is nothing left to cancel.
    reader.cancel().catch(() => undefined)
  }
  return {
    async read(take) {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        if (!take(value)) return stop()
      }
    },
    stop,
  }
}

/** The encoding that `Content-Type` names; JSON is UTF-8 or nothing. */
export function otlpEncoding(request: HandlerRequest): OtlpEncoding | undefined {
  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";")
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith("charset="))
  if (type.trim() === OTLP_MEDIA_TYPES.protobuf) return "protobuf"
  if (type.trim() !== OTLP_MEDIA_TYPES.json) return undefined
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset) ? "json" : undefined
}

export function unsupportedMediaType(request: HandlerRequest): Refusal {
  const { json, protobuf } = OTLP_MEDIA_TYPES
  return {
    status: 415,
    reason: "bad_media_type",
    message: `The content type must be ${protobuf} or ${json}.`,
    sample: `Content-Type ${quoteForMessage(request.headers.get("content-type") ?? "")}`,
  }
}
