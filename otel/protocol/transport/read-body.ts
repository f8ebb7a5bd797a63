import zlib from "node:zlib"
import { BODY_LIMIT_BYTES, INFLATE_RATIO_FREE_BYTES, INFLATE_RATIO_LIMIT } from "../limits.ts"
import { collect, Collected, tooLarge } from "./collect-body.ts"
import { type BodyRequest, bodySource } from "./request.ts"
import { quoteForMessage, type Refusal } from "./responses.ts"

/** Deadline of a body: three times the default timeout of OTLP exporters. */
const BODY_DEADLINE_MS = 30_000

export interface BodyReading {
  /** Shared by all requests, so that concurrent bodies are limited together. */
  readonly memory: BodyRoom
  /** Default 30 s. */
  readonly deadlineMs?: number | undefined
  /** Bytes of the body before inflation, and after it. Default 20 MiB. */
  readonly limitBytes?: number | undefined
}

/** Memory from which the bytes of a body are reserved. */
export type BodyRoom = Pick<BodyMemory, "reserve" | "release" | "refusal" | "turns">

/** A body as it was sent, and inflated. They are the same bytes if the body has no content encoding. */
export type ReadBody =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly sent: Uint8Array; readonly encoding: string | undefined }
  | RefusedBody

/**
 * Reads and inflates the body. Holds at most `limitBytes` plus one chunk before inflation and `limitBytes` after it,
 * whatever `Content-Length` says. Refuses a larger `Content-Length` before it reads, and a body that misses the deadline or
 * the minimum rate. Resolves when it is the request's turn (`WorkTurns`).
 */
export async function readBody(request: BodyRequest, reading: BodyReading): Promise<ReadBody> {
  const { memory, deadlineMs = BODY_DEADLINE_MS, limitBytes = BODY_LIMIT_BYTES } = reading
  const coding = declaredCoding(request, limitBytes)
  if (!coding.ok) return coding
  if (request.body === null) return { ok: true, bytes: new Uint8Array(), sent: new Uint8Array(), encoding: undefined }
  const sent = new Collected(memory, limitBytes)
  try {
    const refusal = await collect(bodySource(request.body), sent, deadlineMs)
    if (refusal !== undefined) return refused(refusal)
    const bytes = sent.bytes()
    if (coding.open === undefined) {
      await memory.turns.next()
      return { ok: true, bytes, sent: bytes, encoding: undefined }
    }
    const inflated = await inflate(bytes, coding.open, memory, limitBytes)
    return inflated.ok ? { ...inflated, sent: bytes, encoding: coding.name } : inflated
  } finally {
    memory.release(sent.size)
  }
}

/** A body that large ones must leave room for: most exports are smaller. */
const SMALL_BODY_BYTES = 1024 * 1024
/** Room that only small bodies may use. */
const SMALL_BODIES_BYTES = 8 * SMALL_BODY_BYTES
/** Bytes of all bodies in memory: two of the largest, before or after inflation, and the room for small ones. */
const IN_FLIGHT_BYTES = 2 * BODY_LIMIT_BYTES + SMALL_BODIES_BYTES

/**
 * Limits the bytes of all bodies in memory. A body that does not fit is refused at once, not queued. Bodies past 1 MiB leave
 * 8 MiB for smaller ones, so that a few large or slow bodies do not shut out all others.
 */
export class BodyMemory {
  /** Complete bodies wait here, in memory, for their turn. */
  readonly turns = new WorkTurns()
  #reserved = 0

  constructor(private readonly limitBytes: number = IN_FLIGHT_BYTES) {}

  readonly refusal: Refusal = {
    status: 503,
    reason: "queue_overflow",
    message: "Too many large requests at once. Retry later.",
    retryAfterSeconds: 1,
  }

  get reserved(): number {
    return this.#reserved
  }

  /** @param held bytes that the same body has reserved already. */
  reserve(bytes: number, held = 0): boolean {
    const room = held + bytes > SMALL_BODY_BYTES ? SMALL_BODIES_BYTES : 0
    if (this.#reserved + bytes > this.limitBytes - room) return false
    this.#reserved += bytes
    return true
  }

  release(bytes: number): void {
    this.#reserved -= bytes
  }
}

/** Time in milliseconds for requests before responses, timers and store writes run. */
const TURN_MS = 10

/**
 * Spreads requests that arrive together over several turns of the event loop. Decoding eighty bodies of some
 * milliseconds in a row would block the event loop for half a second and starve the store writer, and the queue would
 * fill up.
 */
export class WorkTurns {
  readonly #waiting: (() => void)[] = []
  /** When the current turn ends. */
  #end: number | undefined
  /** Whether a request was resumed whose work has not run yet. */
  #isWorking = false

  /** Resolves when the caller may work, in call order: at once while the current turn has time. */
  async next(): Promise<void> {
    const end = this.#end ?? this.#begin()
    if (this.#isWorking || this.#waiting.length > 0 || performance.now() >= end)
      return new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isWorking = true
    process.nextTick(() => (this.#isWorking = false))
  }

  #begin(): number {
    setImmediate(() => void this.#turn())
    this.#end = performance.now() + TURN_MS
    return this.#end
  }

  async #turn(): Promise<void> {
    this.#end = undefined
    if (this.#waiting.length === 0) return
    const end = this.#begin()
    do {
      this.#waiting.shift()?.()
      await pendingPromises()
    } while (this.#waiting.length > 0 && performance.now() < end)
  }
}

/** Resolves after all promise callbacks that are due: Node runs `nextTick` callbacks after them. */
function pendingPromises(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

/**
 * Inflates a body that is already bounded. 10 GB of zeros fit into 10 MB of gzip, so the bound holds while inflating:
 * the engine is stopped at the first chunk past `inflatedLimit`. Data after the end of the stream is refused: it would be
 * dropped without being counted.
 */

export type Engine = zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress

/** Node has zstd from 22.15 and 23.8 on. */
const createZstd = (zlib as { createZstdDecompress?: () => Engine }).createZstdDecompress

const ENGINES: ReadonlyMap<string, () => Engine> = new Map([
  ["gzip", () => zlib.createGunzip({ chunkSize: 64 * 1024 })],
  ["deflate", () => zlib.createInflate({ chunkSize: 64 * 1024 })],
  ["br", () => zlib.createBrotliDecompress({ chunkSize: 64 * 1024 })],
  ...(createZstd === undefined ? [] : ([["zstd", () => createZstd()]] as const)),
])

export type Coding =
  | { readonly ok: true; readonly name: string; readonly open: (() => Engine) | undefined }
  | RefusedBody

export interface RefusedBody {
  readonly ok: false
  readonly refusal: Refusal
}

/** What the headers say of the body: refuses a length past the limit and an unknown encoding, before a byte is read. */
export function declaredCoding(request: Pick<BodyRequest, "headers">, limitBytes: number = BODY_LIMIT_BYTES): Coding {
  const coding = contentCoding(request)
  if (!coding.ok) return coding
  return Number(request.headers.get("content-length") ?? 0) > limitBytes ? refused(tooLarge(limitBytes)) : coding
}

/**
 * The engine for `Content-Encoding`. Several codings are refused. An empty list of codings is `identity`: Sentry's SDK for
 * Ruby sends it with what it does not compress.
 */
function contentCoding(request: Pick<BodyRequest, "headers">): Coding {
  const header = request.headers.get("content-encoding") ?? ""
  const name = header.trim().toLowerCase() || "identity"
  if (name === "identity") return { ok: true, name, open: undefined }
  const open = ENGINES.get(name)
  if (open !== undefined) return { ok: true, name, open }
  const supported = [...ENGINES.keys()].join(", ")
  return refused({
    status: 415,
    reason: "bad_encoding",
    message: `Unsupported content encoding: use identity, ${supported}.`,
    sample: `Content-Encoding ${quoteForMessage(header)}`,
    headers: { "accept-encoding": supported },
  })
}

/** The body limit; past 1 MiB also `INFLATE_RATIO_LIMIT` times the size before inflation. */
function inflatedLimit(sentBytes: number, limitBytes: number): number {
  return Math.min(limitBytes, Math.max(INFLATE_RATIO_FREE_BYTES, sentBytes * INFLATE_RATIO_LIMIT))
}

export type Inflated = { readonly ok: true; readonly bytes: Uint8Array } | RefusedBody

async function inflate(sent: Uint8Array, open: () => Engine, memory: BodyRoom, limitBytes: number): Promise<Inflated> {
  const limit = inflatedLimit(sent.length, limitBytes)
  const engine = open()
  const chunks: Buffer[] = []
  let size = 0
  try {
    engine.end(sent)
    for await (const chunk of engine as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) return refused(tooLargeInflated(limit))
      if (!memory.reserve(chunk.length, size - chunk.length)) return refused(memory.refusal)
      chunks.push(chunk)
    }
    if (engine.bytesWritten !== sent.length) return refused(undecodable("has data after its end"))
    await memory.turns.next()
    return { ok: true, bytes: Buffer.concat(chunks, size) }
  } catch {
    // zlib throws for malformed data and for data that ends early.
    return refused(undecodable("is broken or ends early"))
  } finally {
    engine.destroy()
    memory.release(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  }
}

export function refused(refusal: Refusal): RefusedBody {
  return { ok: false, refusal }
}

function tooLargeInflated(limit: number): Refusal {
  return {
    status: 413,
    reason: "too_large",
    message: `Payload too large: the body inflates to more than ${limit} bytes.`,
  }
}

function undecodable(what: string): Refusal {
  return { status: 400, reason: "bad_encoding", message: `The compressed body ${what}.` }
}
