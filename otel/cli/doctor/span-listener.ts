import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { BODY_LIMIT_BYTES } from "../../protocol/limits.ts"
import { decodeTraces } from "../../protocol/otlp/decode-traces.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"

/** Takes the place of an inspector while `pagespan doctor` examines an app: an endpoint of OTLP/HTTP on this machine. */
export interface SpanListener {
  readonly url: string
  spansOf(traceId: string): readonly SpanRecord[]
  stop(): Promise<void>
}

const SPAN_LIMIT = 10_000
const A_DAY_MS = 86_400_000

export async function listenForSpans(): Promise<SpanListener> {
  const spans: SpanRecord[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of request) {
        bytes += (chunk as Buffer).length
        if (bytes <= BODY_LIMIT_BYTES) chunks.push(chunk as Buffer)
      }
    } catch {
      // The app ended in the middle of its request.
      return void response.destroy()
    }
    const format = request.headers["content-type"]?.includes("json") ? "json" : "protobuf"
    const isGzipped = request.headers["content-encoding"] === "gzip"
    if (request.url === "/v1/traces" && spans.length < SPAN_LIMIT)
      spans.push(...decoded(Buffer.concat(chunks), isGzipped, format))
    response.writeHead(200, { "content-type": request.headers["content-type"] ?? "application/json" })
    response.end(format === "json" ? "{}" : "")
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Nothing of what cannot be read. */
function decoded(body: Buffer, isGzipped: boolean, format: "json" | "protobuf"): readonly SpanRecord[] {
  try {
    const bytes = isGzipped ? gunzipSync(body, { maxOutputLength: BODY_LIMIT_BYTES }) : body
    const result = decodeTraces(bytes, format, {
      latest: fromMilliseconds(Date.now() + A_DAY_MS),
      maxSpans: SPAN_LIMIT,
    })
    return result.ok ? result.spans : []
  } catch {
    // The app's exporter logs what it could not send.
    return []
  }
}
