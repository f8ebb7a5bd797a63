import { OTLP_MEDIA_TYPES, type OtlpEncoding } from "../otlp/message.ts"
import { quoteForMessage, type Refusal } from "./responses.ts"

/** What guards read: nothing of the body. A `Request` is one, and so are the headers of a gRPC call. */
export interface RequestHead {
  readonly method: string
  readonly url: string
  readonly headers: Pick<Headers, "get">
}

/**
 * What handlers read. Route files pass a `Request`. The server adapts `node:http` to this interface instead, because
 * creating a `Request` takes as long as decoding the spans in it.
 */
export interface HandlerRequest extends RequestHead {
  readonly body: ReadableStream<Uint8Array> | BodySource | null
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** IP address at the other end of the socket, where it is known: the client's, or that of a proxy in front. */
  readonly address?: string | undefined
}

/** What reading a body takes of a request. */
export type BodyRequest = Pick<HandlerRequest, "headers" | "body">

/** Origin of a request's `url` where only path and query are known. Handlers read the host from the `Host` header. */
export const PLACEHOLDER_ORIGIN = "http://server.invalid"

/** Headers for a guard where there is no `Request`. Names are lower case; `undefined` is an absent header. */
export function headersOf(values: Readonly<Record<string, string | undefined>>): Pick<Headers, "get"> {
  return { get: (name) => values[name] ?? null }
}

export interface BodySource {
  /**
   * Passes chunks to `take` as they arrive. Resolves at the end of the body, when `take` returns `false`, or on `stop`;
   * rejects when the connection breaks. After `take` returned `false`, another call goes on with the next chunk.
   */
  read(take: (chunk: Uint8Array) => boolean): Promise<void>
  /** Ends reading for good. */
  stop(): void
}

export function bodySource(body: ReadableStream<Uint8Array> | BodySource): BodySource {
  return body instanceof ReadableStream ? streamSource(body) : body
}

function streamSource(body: ReadableStream<Uint8Array>): BodySource {
  const reader = body.getReader()
  const stop = () => {
    // `cancel` rejects when the client has disconnected, and then there is nothing to cancel.
    reader.cancel().catch(() => undefined)
  }
  return {
    async read(take) {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        if (!take(value)) return
      }
    },
    stop,
  }
}

/** The encoding that `Content-Type` names. JSON with a charset other than UTF-8 is unsupported. */
export function otlpEncoding(request: RequestHead): OtlpEncoding | undefined {
  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";")
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith("charset="))
  if (type.trim() === OTLP_MEDIA_TYPES.protobuf) return "protobuf"
  if (type.trim() !== OTLP_MEDIA_TYPES.json) return undefined
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset) ? "json" : undefined
}

export function unsupportedMediaType(request: RequestHead): Refusal {
  const { json, protobuf } = OTLP_MEDIA_TYPES
  return {
    status: 415,
    reason: "bad_media_type",
    message: `Unsupported media type: the content type must be ${protobuf} or ${json}.`,
    sample: `Content-Type ${quoteForMessage(request.headers.get("content-type") ?? "")}`,
  }
}
