import { type ImportRequest, importRequests } from "./import-requests.ts"
import { OtlpCutter, type OtlpElement } from "./otlp-cutter.ts"

/** How far an import is, and what became of what it read. */
export interface ImportProgress {
  readonly readBytes: number
  /** Spans and log records that a handler took. */
  readonly taken: number
  /** What a handler or the store did not take, by what it said. */
  readonly lost: ReadonlyMap<string, number>
  /** Traces that it brought, in the order in which they came; the first of them. */
  readonly traceIds: readonly string[]
  readonly traceCount: number
}

const START: ImportProgress = { readBytes: 0, taken: 0, lost: new Map(), traceIds: [], traceCount: 0 }
const TRACES_NAMED = 20
/** A handler that is busy says when to come again; past so many times it is not worth waiting. */
const TRIES = 30
const LONGEST_WAIT_MS = 5_000

type Told = (progress: ImportProgress) => void

/**
 * Brings a file to the handlers that SDKs send to, one request after the other. Rejects when the signal is aborted, or the
 * server cannot be reached; what was taken until then stays.
 */
export async function runImport(file: Blob, isGzip: boolean, told: Told, signal: AbortSignal): Promise<void> {
  const importing = new Importing(told, signal)
  const cutter = new OtlpCutter()
  const bytes = file.stream().pipeThrough(importing.counter(), { signal })
  const plain = isGzip ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes
  const reader = plain.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    for (const element of cutter.push(value)) await importing.bring(element)
    signal.throwIfAborted()
  }
  if (cutter.isCut || cutter.broken) importing.lose("The file ends in the middle, or its brackets do not match.", 1)
  else if (importing.isEmpty) importing.lose("No resourceSpans were found: the file is not OTLP/JSON.", 1)
}

class Importing {
  #progress = START
  readonly #traceIds = new Set<string>()
  #pieces = 0

  constructor(
    private readonly told: Told,
    private readonly signal: AbortSignal,
  ) {}

  get isEmpty(): boolean {
    return this.#pieces === 0
  }

  counter(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    return new TransformStream({
      transform: (chunk, controller) => {
        this.#update({ readBytes: this.#progress.readBytes + chunk.byteLength })
        controller.enqueue(chunk)
      },
    })
  }

  async bring(element: OtlpElement): Promise<void> {
    this.#pieces++
    if (element.list === "resourceMetrics") return this.lose("Metrics are not kept.", 1)
    const requests = importRequests(element)
    if (requests === undefined) return this.lose("A piece of the file is no JSON.", 1)
    for (const request of requests) await this.#send(request)
  }

  lose(why: string, count: number): void {
    const lost = new Map(this.#progress.lost)
    lost.set(why, (lost.get(why) ?? 0) + count)
    this.#update({ lost })
  }

  async #send(request: ImportRequest): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const response = await fetch(request.handler, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: request.body,
        signal: this.signal,
      })
      if (response.status === 429 || response.status === 503) await this.#wait(response.headers.get("retry-after"))
      else return this.#answered(request, response.status, await response.json().catch(() => ({})))
    }
    this.lose("The server was too busy for too long.", request.count)
  }

  #answered(request: ImportRequest, status: number, answer: unknown): void {
    const { partialSuccess, message } = answer as { partialSuccess?: Partial<Rejection>; message?: string }
    if (status !== 200) return this.lose(message ?? `The server answered ${status}.`, request.count)
    const rejected = Number(partialSuccess?.rejectedSpans ?? partialSuccess?.rejectedLogRecords ?? 0)
    if (rejected > 0) this.lose(partialSuccess?.errorMessage ?? "Not taken, without a reason.", rejected)
    for (const traceId of request.traceIds) this.#traceIds.add(traceId)
    this.#update({
      taken: this.#progress.taken + request.count - rejected,
      traceIds: [...this.#traceIds].slice(0, TRACES_NAMED),
      traceCount: this.#traceIds.size,
    })
  }

  async #wait(retryAfter: string | null): Promise<void> {
    const milliseconds = Math.min(LONGEST_WAIT_MS, (Number(retryAfter) || 1) * 1_000)
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    this.signal.throwIfAborted()
  }

  #update(change: Partial<ImportProgress>): void {
    this.#progress = { ...this.#progress, ...change }
    this.told(this.#progress)
  }
}

interface Rejection {
  readonly rejectedSpans: string | number
  readonly rejectedLogRecords: string | number
  readonly errorMessage: string
}
