import type { Environment } from "../protocol/config-values.ts"
import type { SpanJson } from "../protocol/otlp/traces-json.ts"
import { type Destination, findDestination, type InspectorAddress } from "./destination.ts"
import type { TestRun } from "./run.ts"
import { keyValues } from "./test-trace.ts"
import { TraceFile, traceFilePath } from "./trace-file.ts"
import { withinLimit } from "./within-limit.ts"

/** Spans in one request, and the time that they wait for others. */
const BATCH_SPANS = 1_000
const BATCH_MS = 1_000
/** Text of spans that wait or are being sent. */
const QUEUE_LIMIT_BYTES = 32 * 2 ** 20
/** `close` waits this long for what is still being sent. */
const CLOSE_LIMIT_MS = 10_000

export interface ExporterOptions {
  readonly run: TestRun
  readonly environment: Environment
  /** Such as `1of3`. */
  readonly shard?: string | undefined
  /** Prints one line. */
  readonly log: (line: string) => void
}

/** What became of the spans of a run. */
export interface ExportSummary {
  readonly traces: number
  readonly dropped: number
  readonly inspector: InspectorAddress | undefined
  /** Files that received spans. */
  readonly files: readonly string[]
}

/**
 * Sends spans in batches. Never throws and never blocks a test: a destination that fails is replaced by a file, with one line
 * of warning, and what neither takes is counted.
 */
export class TraceExporter {
  /** Resolves to the inspector that receives the spans, if one does. */
  readonly inspector: Promise<InspectorAddress | undefined>
  readonly #options: ExporterOptions
  readonly #head: string
  readonly #files = new Set<string>()
  #destination: Promise<Destination>
  #sending: Promise<void> = Promise.resolve()
  #texts: string[] = []
  #queuedBytes = 0
  #batchBytes = 0
  #timer: NodeJS.Timeout | undefined
  #traces = 0
  #dropped = 0
  #hasFailed = false

  constructor(options: ExporterOptions) {
    this.#options = options
    const resource = JSON.stringify({ attributes: keyValues(options.run.resource) })
    this.#head = `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":{"name":"pagespan/testing"},"spans":[`
    this.#destination = findDestination(options.environment, this.#file).catch((error: unknown) => this.#replace(error))
    this.inspector = this.#destination.then(({ inspector }) => inspector)
  }

  /** Queues the spans of one trace. */
  add(spans: readonly SpanJson[]): void {
    this.#traces++
    for (const span of spans) {
      const text = JSON.stringify(span)
      if (this.#queuedBytes + text.length > QUEUE_LIMIT_BYTES) {
        this.#dropped++
        continue
      }
      this.#texts.push(text)
      this.#queuedBytes += text.length
      this.#batchBytes += text.length
    }
    if (this.#texts.length >= BATCH_SPANS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS).unref()
  }

  /** A request of OTLP/JSON, of the texts of spans. */
  requestOf(spans: readonly string[]): string {
    return `${this.#head}${spans.join(",")}]}]}]}`
  }

  /** Sends what is queued. Resolves when it was sent, or could not be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [texts, bytes] = [this.#texts, this.#batchBytes]
    if (texts.length === 0) return this.#sending
    this.#texts = []
    this.#batchBytes = 0
    const send = async (): Promise<void> => {
      await this.#send(this.requestOf(texts), texts.length)
      this.#queuedBytes -= bytes
    }
    return (this.#sending = this.#sending.then(send))
  }

  /** Sends the rest, within 10 s. */
  async close(): Promise<ExportSummary> {
    const rest = this.flush().then(async () => {
      const destination = await this.#destination
      await destination.close().catch((error: unknown) => this.#warn(error))
      return destination.inspector
    })
    const late = Symbol("late")
    const inspector = await withinLimit(rest, CLOSE_LIMIT_MS, late)
    if (inspector === late) this.#warn(new Error(`the spans could not be sent within ${CLOSE_LIMIT_MS / 1_000} s`))
    return {
      traces: this.#traces,
      dropped: this.#dropped,
      inspector: inspector === late ? undefined : inspector,
      files: [...this.#files],
    }
  }

  get #file(): string {
    return traceFilePath(this.#options.run.name, this.#options.shard)
  }

  async #send(body: string, count: number): Promise<void> {
    const destination = await this.#destination
    try {
      const rejected = await destination.send(body)
      // Not in one statement: meanwhile others are dropped.
      this.#dropped += rejected
      if (destination.file !== undefined) this.#files.add(destination.file)
    } catch (error) {
      if (destination.file !== undefined) {
        this.#dropped += count
        this.#warn(error)
        return
      }
      this.#destination = Promise.resolve(this.#replace(error))
      await this.#send(body, count)
    }
  }

  /** Goes on with a file. */
  #replace(error: unknown): Destination {
    const file = new TraceFile(this.#file)
    this.#warn(new Error(`${messageOf(error)}: spans are written to ${file.file} instead`))
    return file
  }

  /** Once for a run: each batch would fail in the same way. */
  #warn(error: unknown): void {
    if (!this.#hasFailed) this.#options.log(`pagespan: ${messageOf(error)}`)
    this.#hasFailed = true
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
