import { randomBytes } from "node:crypto"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { constants, createGzip, type Gzip } from "node:zlib"
import { type Exception, fromEngine } from "./exception.ts"
import type { StatementRequest } from "./request.ts"

/**
 * Sends a statement's result piece by piece, no faster than the client reads. A failure before the first piece is an
 * HTTP error. A later one is ClickHouse's exception frame at the end of the stream, which the client recognizes by the
 * tag in the headers.
 */
export async function sendResult(
  response: ServerResponse,
  request: StatementRequest,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const tag = randomBytes(8).toString("hex")
  const out = new ResultStream(response, request, tag)
  try {
    for await (const piece of pieces) if (piece.length > 0) await out.write(piece)
  } catch (error) {
    if (response.destroyed) return // the client disconnected, which cancelled the statement
    const exception = fromEngine(error)
    if (!response.headersSent) return sendException(response, exception)
    await out.write(exceptionFrame(exception, tag))
  }
  out.end()
}

export function sendException(response: ServerResponse, exception: Exception): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(exception.httpStatus, {
    "Content-Type": "text/plain; charset=UTF-8",
    "X-ClickHouse-Exception-Code": exception.code,
  })
  response.end(`${exception.message}\n`)
}

class ResultStream {
  readonly #response: ServerResponse
  readonly #headers: Record<string, string>
  readonly #gzip: Gzip | undefined

  constructor(response: ServerResponse, request: StatementRequest, tag: string) {
    this.#response = response
    this.#headers = {
      "Content-Type": "text/plain; charset=UTF-8",
      "X-ClickHouse-Format": request.statement.format,
      "X-ClickHouse-Exception-Tag": tag,
      ...(request.queryId === undefined ? {} : { "X-ClickHouse-Query-Id": request.queryId }),
      ...(request.gzip ? { "Content-Encoding": "gzip" } : {}),
    }
    this.#gzip = request.gzip ? createGzip({ level: constants.Z_BEST_SPEED }) : undefined
  }

  async write(piece: Uint8Array): Promise<void> {
    const target = this.#open()
    if (!target.write(piece)) await once(target, "drain", { signal: closed(this.#response) })
  }

  end(): void {
    this.#open().end()
  }

  #open(): Gzip | ServerResponse {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, this.#headers)
      this.#gzip?.pipe(this.#response)
    }
    return this.#gzip ?? this.#response
  }
}

/** Aborts when the client disconnects, so that a write does not wait for it. */
function closed(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  else response.once("close", () => controller.abort())
  return controller.signal
}

/** The frame of ClickHouse 25.11 and later: marker, tag, message, its length, tag, marker. */
function exceptionFrame(exception: Exception, tag: string): Buffer {
  const message = Buffer.from(`${exception.message}\n`)
  return Buffer.concat([
    Buffer.from(`\r\n__exception__\r\n${tag}\n`),
    message,
    Buffer.from(`${message.length} ${tag}\r\n__exception__\r\n`),
  ])
}
