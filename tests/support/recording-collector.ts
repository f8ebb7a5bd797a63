import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { RecordingServer } from "./recording-server.ts"
import { waitFor } from "./wait-for.ts"

const A_DAY_MS = 86_400_000

/** Replaces an OpenTelemetry collector and records every span, in either encoding. */
export class RecordingCollector extends RecordingServer {
  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`
  }

  spans(): SpanRecord[] {
    return this.requests
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ headers, body }) => {
        const encoding = headers["content-type"]?.startsWith("application/json") ? "json" : "protobuf"
        const decoded = decodeTraces(body, encoding, {
          latest: fromMilliseconds(Date.now() + A_DAY_MS),
          maxSpans: Infinity,
        })
        if (!decoded.ok) throw new Error(`the collector received an invalid request: ${decoded.problem}`)
        return decoded.spans
      })
  }

  waitForSpan(what: string, matches: (span: SpanRecord) => boolean, limitMs?: number): Promise<SpanRecord> {
    return waitFor(`span ${what}`, () => this.spans().find(matches), limitMs)
  }
}
