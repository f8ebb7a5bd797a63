import { diag } from "@opentelemetry/api"
import { type ExportResult, ExportResultCode, getNumberFromEnv } from "@opentelemetry/core"
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base"
import type { DropReason } from "../../protocol/records/drop.ts"
import { collectorEndpoint, type SdkConfig } from "../config.ts"
import { isSampled } from "../sentry/sampling.ts"

/**
 * OpenTelemetry's own exporter for the collector that the `OTEL_EXPORTER_OTLP_*` variables name; it reads headers, timeout,
 * compression and certificates itself. None where they name no endpoint.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function createCollectorExporter(config: SdkConfig): SpanExporter | undefined {
  const url = collectorEndpoint(config)
  if (url === undefined) return undefined
  const protocol = config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL
  return protocol === "http/json" ? new JsonExporter({ url }) : new ProtobufExporter({ url })
}

/** `OTEL_BSP_MAX_QUEUE_SIZE`'s default. */
const QUEUE_LIMIT = 2_048

export type SpanDrop = (reason: DropReason, count: number) => void

/**
 * OpenTelemetry's batch processor and exporter, with every span that they lose counted: the processor itself tells an
 * overflow to nobody, and a failed export only to a log.
 */
export class CollectorProcessor implements SpanProcessor {
  readonly #batches: BatchSpanProcessor
  readonly #lost: SpanDrop
  readonly #queueLimit: number
  /** Spans in the batch processor's queue: those that it was given and has not taken out to export. */
  #queued = 0
  /** Exports under way. The batch processor's own flush does not wait for one that a full batch set off before it. */
  readonly #exports = new Set<Promise<void>>()

  constructor(exporter: SpanExporter, lost: SpanDrop, queueLimit?: number) {
    this.#lost = lost
    this.#queueLimit = queueLimit ?? getNumberFromEnv("OTEL_BSP_MAX_QUEUE_SIZE") ?? QUEUE_LIMIT
    this.#batches = new BatchSpanProcessor(this.#counting(exporter), { maxQueueSize: this.#queueLimit })
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (!isSampled(span)) return
    if (this.#queued >= this.#queueLimit) return this.#lost("queue_overflow", 1)
    this.#queued += 1
    this.#batches.onEnd(span)
  }

  /** Rejects as the batch processor does, but not before every export under way has ended and is accounted for. */
  async forceFlush(): Promise<void> {
    await this.#batches.forceFlush().finally(() => Promise.all(this.#exports))
  }

  async shutdown(): Promise<void> {
    await this.#batches.shutdown().finally(() => Promise.all(this.#exports))
  }

  #counting(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) => {
        this.#queued -= spans.length
        const underWay = this.#export(exporter, spans, done).finally(() => this.#exports.delete(underWay))
        this.#exports.add(underWay)
      },
      shutdown: () => exporter.shutdown(),
      ...(exporter.forceFlush === undefined ? {} : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
    }
  }

  async #export(exporter: SpanExporter, spans: ReadableSpan[], done: (result: ExportResult) => void): Promise<void> {
    const result = await new Promise<ExportResult>((ended) => exporter.export(spans, ended)).catch(
      (error): ExportResult => ({ code: ExportResultCode.FAILED, error }),
    )
    const reason = exportFailure(result)
    if (reason !== undefined) this.#lost(reason, spans.length)
    done(result)
  }
}

/** Why an export failed, `undefined` where it did not. The exporter has tried again by then what may be tried again. */
export function exportFailure({ code, error }: ExportResult): DropReason | undefined {
  if (code === ExportResultCode.SUCCESS) return undefined
  const status = error !== undefined && "code" in error ? Number(error.code) : Number.NaN
  diag.debug(`an export of spans failed: ${error?.message ?? "no reason given"}`)
  if (status === 429) return "ratelimit_backoff"
  return status >= 100 && status < 600 ? "send_error" : "network_error"
}
