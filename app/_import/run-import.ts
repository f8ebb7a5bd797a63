import { actionHeaders } from "#app/_live/action-headers.ts"
import { type ImportRequest, importRequests } from "./import-requests.ts"
import { OtlpCutter, type OtlpElement } from "./otlp-cutter.ts"

/** Progress and result of an import. */
export interface ImportProgress {
  readonly readBytes: number
  /** Spans and log records that the receiver accepted. */
  readonly accepted: number
  /** Records that were not imported, by reason. */
  readonly rejected: ReadonlyMap<string, number>
  /** Ids of the first imported traces, in file order. */
  readonly traceIds: readonly string[]
  readonly traceCount: number
}

const START: ImportProgress = { readBytes: 0, accepted: 0, rejected: new Map(), traceIds: [], traceCount: 0 }
const TRACES_NAMED = 20
/** Attempts per request while the receiver answers 429 or 503. */
const ATTEMPTS = 30
const LONGEST_WAIT_MS = 5_000

type OnProgress = (progress: ImportProgress) => void

/**
 * Posts a file to the OTLP endpoints, one request at a time. Rejects when the signal aborts or the server cannot be reached;
 * records accepted before that stay stored.
 */
export async function runImport(
  file: Blob,
  isGzip: boolean,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  const importer = new Importer(onProgress, signal)
  const cutter = new OtlpCutter()
  const bytes = file.stream().pipeThrough(importer.counter(), { signal })
  const plain = isGzip ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes
  const reader = plain.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    for (const element of cutter.push(value)) await importer.add(element)
    signal.throwIfAborted()
  }
  if (cutter.isCut || cutter.broken) importer.reject("The file is truncated or not valid JSON.", 1)
  else if (importer.isEmpty) importer.reject("The file has no resourceSpans or resourceLogs: it is not OTLP/JSON.", 1)
}

class Importer {
  #progress = START
  readonly #traceIds = new Set<string>()
  #pieces = 0

  constructor(
    private readonly onProgress: OnProgress,
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

  async add(element: OtlpElement): Promise<void> {
    this.#pieces++
    if (element.list === "resourceMetrics") return this.reject("Metrics are not supported.", 1)
    const requests = importRequests(element)
    if (requests === undefined) return this.reject("Part of the file is not valid JSON.", 1)
    for (const request of requests) await this.#send(request)
  }

  reject(why: string, count: number): void {
    const rejected = new Map(this.#progress.rejected)
    rejected.set(why, (rejected.get(why) ?? 0) + count)
    this.#update({ rejected })
  }

  async #send(request: ImportRequest): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const response = await fetch(request.path, {
        method: "POST",
        headers: { ...actionHeaders(), "content-type": "application/json" },
        body: request.body,
        signal: this.signal,
      })
      if (response.status === 429 || response.status === 503) await this.#wait(response.headers.get("retry-after"))
      else return this.#answered(request, response.status, await response.json().catch(() => ({})))
    }
    this.reject("The server stayed busy for too long.", request.count)
  }

  #answered(request: ImportRequest, status: number, answer: unknown): void {
    const { partialSuccess, message } = answer as { partialSuccess?: Partial<Rejection>; message?: string }
    if (status !== 200) return this.reject(message ?? `The server answered ${status}.`, request.count)
    const rejected = Number(partialSuccess?.rejectedSpans ?? partialSuccess?.rejectedLogRecords ?? 0)
    if (rejected > 0) this.reject(partialSuccess?.errorMessage ?? "Rejected without a reason.", rejected)
    for (const traceId of request.traceIds) this.#traceIds.add(traceId)
    this.#update({
      accepted: this.#progress.accepted + request.count - rejected,
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
    this.onProgress(this.#progress)
  }
}

interface Rejection {
  readonly rejectedSpans: string | number
  readonly rejectedLogRecords: string | number
  readonly errorMessage: string
}
