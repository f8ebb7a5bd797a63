import { diag } from "@opentelemetry/api"
import { type ExportResult, ExportResultCode } from "@opentelemetry/core"
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base"
import { rejectedOf } from "../../protocol/otlp/responses.ts"
import type { DropReason } from "../../protocol/records/drop.ts"
import { redactAddress } from "../../protocol/redact.ts"
import { collectorEndpoint, type SdkConfig } from "../config.ts"
import { isSampled } from "../sentry/sampling.ts"
import { publicSpanContext } from "./trace-state.ts"

/**
 * OpenTelemetry's exporter for the collector of the `OTEL_EXPORTER_OTLP_*` variables. It reads the variables for headers,
 * timeout, compression and certificates itself.
 *
 * @param concurrencyLimit exports at a time, past which an export fails. Default: that of OpenTelemetry, 30.
 * @returns `undefined` without an endpoint.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function createCollectorExporter(config: SdkConfig, concurrencyLimit?: number): SpanExporter | undefined {
  const url = collectorEndpoint(config)
  if (url === undefined) return undefined
  const protocol = config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL
  const options = { url, ...(concurrencyLimit === undefined ? {} : { concurrencyLimit }) }
  const exporter = protocol === "http/json" ? new JsonExporter(options) : new ProtobufExporter(options)
  return withCollectorResults(exporter, addressOf(url))
}

/** For messages: without user, password, query and fragment. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return redactAddress(`${origin}${pathname}`)
}

/** The result of an export to a collector. */
interface CollectorResult extends ExportResult {
  /** The collector's address, for messages. */
  readonly address?: string
  /** How many spans the collector rejected of an export that succeeded. */
  readonly rejectedSpans?: number
}

/** OpenTelemetry's exporter passes a collector's response to this part of itself, which only logs a partial success. */
interface WithResponseHandler {
  readonly _delegate?: { _responseHandler?: { handleResponse(response: unknown): void } }
}

/**
 * Adds to an export's result the collector's address, and the number of spans that it rejected, which OpenTelemetry's
 * exporter has no way to report. The exporter handles the response and calls back in one turn, so the number belongs to that call.
 */
function withCollectorResults(exporter: SpanExporter, address: string): SpanExporter {
  const { _delegate: delegate } = exporter as unknown as WithResponseHandler
  let rejected = 0
  if (delegate !== undefined)
    delegate._responseHandler = { handleResponse: (response) => (rejected = rejectedOf(response, "traces")) }
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const rejectedSpans = rejected
        rejected = 0
        done({ ...result, address, rejectedSpans } as CollectorResult)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}

/** Exports spans. The promise resolves with the result, and never rejects. */
export function exportSpans(exporter: SpanExporter, spans: ReadableSpan[]): Promise<ExportResult> {
  return new Promise<ExportResult>((ended) => exporter.export(spans, ended)).catch((error): ExportResult => ({
    code: ExportResultCode.FAILED,
    error,
  }))
}

/** Spans that did not arrive, and why. */
interface Undelivered {
  readonly reason: DropReason
  readonly count: number
  /** For the log, like `401 from http://collector:4318/v1/traces`. It has no text of the collector's, and no secrets. */
  readonly cause: string | undefined
}

/** How many of the exported spans the collector does not have, and why. By then the exporter has retried what is retryable. */
export function undelivered(result: CollectorResult, exported: number): Undelivered {
  const { address, rejectedSpans = 0 } = result
  const reason = exportFailure(result)
  const what = reason === undefined ? "partial success" : failureOf(result)
  const cause = what === undefined || address === undefined ? (what ?? address) : `${what} from ${address}`
  if (reason !== undefined) return { reason, count: exported, cause }
  return { reason: "send_error", count: Math.min(rejectedSpans, exported), cause }
}

/** The span as other processes may see it. */
function withPublicContext(span: ReadableSpan): ReadableSpan {
  const given = span.spanContext()
  const context = publicSpanContext(given)
  return context === given ? span : { ...span, spanContext: () => context }
}

/** The settings of the batch processor, which would export without end with a batch size that is not positive. */
type BatchSettings = Pick<
  SdkConfig,
  "OTEL_BSP_MAX_QUEUE_SIZE" | "OTEL_BSP_MAX_EXPORT_BATCH_SIZE" | "OTEL_BSP_SCHEDULE_DELAY" | "OTEL_BSP_EXPORT_TIMEOUT"
>

export type SpanDrop = (reason: DropReason, count: number, cause?: string) => void

/**
 * OpenTelemetry's batch processor and exporter, with a count of every span that they drop. The batch processor itself only
 * logs failed exports and overflows.
 */
export class CollectorProcessor implements SpanProcessor {
  readonly #batches: BatchSpanProcessor
  readonly #onDrop: SpanDrop
  readonly #queueLimit: number
  /** Spans in the batch processor's queue. */
  #queued = 0
  /** Running exports. The batch processor's flush does not wait for an export that a full batch started before it. */
  readonly #exports = new Set<Promise<void>>()
  #isShutDown = false

  constructor(exporter: SpanExporter, onDrop: SpanDrop, settings: BatchSettings) {
    this.#onDrop = onDrop
    this.#queueLimit = settings.OTEL_BSP_MAX_QUEUE_SIZE
    // OpenTelemetry reads the variable of each setting that is not given, whatever its value.
    this.#batches = new BatchSpanProcessor(this.#counting(exporter), {
      maxQueueSize: this.#queueLimit,
      maxExportBatchSize: settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
      scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: settings.OTEL_BSP_EXPORT_TIMEOUT,
    })
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (!isSampled(span)) return
    // The batch processor ignores it.
    if (this.#isShutDown) return this.#onDrop("expired", 1)
    if (this.#queued >= this.#queueLimit) return this.#onDrop("queue_overflow", 1)
    this.#queued += 1
    this.#batches.onEnd(withPublicContext(span))
  }

  /** Rejects as the batch processor does, but only after every running export has ended and its drops are counted. */
  async forceFlush(): Promise<void> {
    await this.#batches.forceFlush().finally(() => Promise.all(this.#exports))
  }

  async shutdown(): Promise<void> {
    this.#isShutDown = true
    await this.#batches.shutdown().finally(() => Promise.all(this.#exports))
  }

  #counting(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) => {
        this.#queued -= spans.length
        const running = this.#export(exporter, spans, done).finally(() => this.#exports.delete(running))
        this.#exports.add(running)
      },
      shutdown: () => exporter.shutdown(),
      ...(exporter.forceFlush === undefined ? {} : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
    }
  }

  async #export(exporter: SpanExporter, spans: ReadableSpan[], done: (result: ExportResult) => void): Promise<void> {
    const result = await exportSpans(exporter, spans)
    const { reason, count, cause } = undelivered(result, spans.length)
    if (count > 0) this.#onDrop(reason, count, cause)
    done(result)
  }
}

/** Why an export failed; `undefined` if it succeeded. */
function exportFailure({ code, error }: ExportResult): DropReason | undefined {
  if (code === ExportResultCode.SUCCESS) return undefined
  const status = Number(codeOf(error))
  diag.debug(`an export of spans failed: ${error?.message ?? "no reason given"}`)
  if (status === 429) return "ratelimit_backoff"
  if (status >= 100 && status < 600) return "send_error"
  return KNOWN_MESSAGES.get(error?.message ?? "") ?? "network_error"
}

/** Texts of OpenTelemetry's exporter for failures that have no code. The exporter does not say which status it retried. */
const KNOWN_MESSAGES: ReadonlyMap<string, DropReason> = new Map([
  ["Concurrent export limit reached", "queue_overflow"],
  ["Export failed with retryable status", "send_error"],
  ["Request timed out", "network_error"],
])

/** A failure in a word that can be logged: a status, or a code like `ECONNREFUSED`. Other texts may contain secrets. */
function failureOf({ error }: ExportResult): string | undefined {
  const code = String(codeOf(error))
  if (/^(?:\d{3}|[A-Z][A-Z\d_]{1,40})$/.test(code)) return code
  return error !== undefined && KNOWN_MESSAGES.has(error.message) ? error.message : undefined
}

function codeOf(error: Error | undefined): unknown {
  return error !== undefined && "code" in error ? error.code : undefined
}
