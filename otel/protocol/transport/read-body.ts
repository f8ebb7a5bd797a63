import zlib from "node:zlib"
import { BODY_LIMIT_BYTES, INFLATE_RATIO_FREE_BYTES, INFLATE_RATIO_LIMIT } from "../limits.ts"
import { bodySource, type BodySource, type HandlerRequest } from "./request.ts"
import { quoteForMessage, type Refusal } from "./responses.ts"

/** A client has this long to send its body: the time after which OTLP exporters have given up three times over. */
const BODY_DEADLINE_MS = 30_000

export interface BodyReading {
  /** Shared by all that read bodies, so that many at once are bounded as well. */
  readonly memory: BodyMemory
  /** Default 30 s. */
  readonly deadlineMs?: number | undefined
}

/**
 * Reads and inflates the body. It holds at most 20 MiB plus one chunk before inflation and 20 MiB after it, whatever
 * `Content-Length` says; a body that says itself that it is larger is refused unread. A body that takes longer than the
 * deadline is cut. One that is whole resolves when it is its turn to be worked on.
 */
export async function readBody(request: HandlerRequest, { memory, deadlineMs }: BodyReading): Promise<Inflated> {
  const coding = contentCoding(request)
  if (!coding.ok) return coding
  if (Number(request.headers.get("content-length") ?? 0) > BODY_LIMIT_BYTES) return refused(TOO_LARGE)
  if (request.body === null) return { ok: true, bytes: new Uint8Array() }
  const sent = new Collected(memory)
  try {
    const refusal = await collect(bodySource(request.body), sent, deadlineMs ?? BODY_DEADLINE_MS)
    if (refusal !== undefined) return refused(refusal)
    const [only] = sent.chunks
    const bytes = only?.length === sent.size ? only : Buffer.concat(sent.chunks, sent.size)
    if (coding.open !== undefined) return await inflate(bytes, coding.open, memory)
    await memory.turns.next()
    return { ok: true, bytes }
  } finally {
    memory.release(sent.size)
  }
}

class Collected {
  readonly chunks: Uint8Array[] = []
  size = 0

  constructor(private readonly memory: BodyMemory) {}

  add(chunk: Uint8Array): Refusal | undefined {
    if (this.size + chunk.length > BODY_LIMIT_BYTES) return TOO_LARGE
    if (!this.memory.reserve(chunk.length)) return this.memory.refusal
    this.chunks.push(chunk)
    this.size += chunk.length
    return undefined
  }
}

async function collect(source: BodySource, into: Collected, deadlineMs: number): Promise<Refusal | undefined> {
  let refusal: Refusal | undefined
  const deadline = setTimeout(() => {
    refusal = TOO_SLOW
    source.stop()
  }, deadlineMs)
  try {
    await source.read((chunk) => {
      refusal ??= into.add(chunk)
      return refusal === undefined
    })
    return refusal
  } catch {
    // The connection broke: nobody reads the answer, but what was on the way is counted.
    return refusal ?? BROKEN_OFF
  } finally {
    clearTimeout(deadline)
  }
}

const TOO_LARGE: Refusal = {
  status: 413,
  reason: "too_large",
  message: `The body is larger than the ${BODY_LIMIT_BYTES} bytes allowed.`,
}
const TOO_SLOW: Refusal = {
  status: 408,
  reason: "network_error",
  message: "The body did not arrive in time.",
  headers: { connection: "close" },
}
const BROKEN_OFF: Refusal = { status: 400, reason: "network_error", message: "The body broke off." }

/** Bytes of bodies that may be in memory at once, over all requests: two of the largest, as sent and inflated. */
const IN_FLIGHT_BYTES = 2 * BODY_LIMIT_BYTES

/** Counts the bytes of all bodies that are being read. What would not fit is refused at once, never made to wait. */
export class BodyMemory {
  /** Bodies that are whole wait here, in memory, until they are worked on. */
  readonly turns = new WorkTurns()
  #reserved = 0

  constructor(private readonly limitBytes: number = IN_FLIGHT_BYTES) {}

  readonly refusal: Refusal = {
    status: 503,
    reason: "queue_overflow",
    message: "Too many large requests at once. Send again later.",
    retryAfterSeconds: 1,
  }

  get reserved(): number {
    return this.#reserved
  }

  reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.limitBytes) return false
    this.#reserved += bytes
    return true
  }

  release(bytes: number): void {
    this.#reserved -= bytes
  }
}

/** So long requests are worked on before answers, timers and the way to the store have their turn, in milliseconds. */
const TURN_MS = 10

/**
 * Takes care that requests that came together are not all decoded in one turn of the event loop. Eighty of some
 * milliseconds each would make turns of half a second, and whatever takes many turns, as the way to the store does,
 * would all but stand: what comes is refused then, though there is time for storing what is there.
 */
export class WorkTurns {
  readonly #waiting: (() => void)[] = []
  /** When the turn of those that work is over. */
  #end: number | undefined
  /** Whether one has been let go on of which it is not known how long it takes. */
  #isAtWork = false

  /** Resolves when the caller may work, in the order of the calls: at once while there is time in this turn. */
  async next(): Promise<void> {
    const end = this.#end ?? this.#begin()
    if (this.#isAtWork || this.#waiting.length > 0 || performance.now() >= end)
      return new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isAtWork = true
    process.nextTick(() => (this.#isAtWork = false))
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
      await allThatFollows()
    } while (this.#waiting.length > 0 && performance.now() < end)
  }
}

/** Node calls back when all promises that could go on have done so. */
function allThatFollows(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

/**
 * Inflates a body that is already bounded. 10 GB of zeros fit into 10 MB of gzip, so the bound holds while inflating:
 * the engine is stopped at the first chunk past `inflatedLimit`. Data after the end of the stream is refused, since it
 * would vanish without being counted.
 */

type Engine = zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress

/** Node has zstd from 22.15 and 23.8 on. */
const createZstd = (zlib as { createZstdDecompress?: () => Engine }).createZstdDecompress

const ENGINES: ReadonlyMap<string, () => Engine> = new Map([
  ["gzip", () => zlib.createGunzip({ chunkSize: 64 * 1024 })],
  ["deflate", () => zlib.createInflate({ chunkSize: 64 * 1024 })],
  ["br", () => zlib.createBrotliDecompress({ chunkSize: 64 * 1024 })],
  ...(createZstd === undefined ? [] : ([["zstd", () => createZstd()]] as const)),
])

export type Coding = { readonly ok: true; readonly open: (() => Engine) | undefined } | RefusedBody

export interface RefusedBody {
  readonly ok: false
  readonly refusal: Refusal
}

/** Which engine `Content-Encoding` asks for. Several codings on top of each other are refused before any is tried. */
export function contentCoding(request: HandlerRequest): Coding {
  const header = request.headers.get("content-encoding") ?? "identity"
  const name = header.trim().toLowerCase()
  if (name === "identity") return { ok: true, open: undefined }
  const open = ENGINES.get(name)
  if (open !== undefined) return { ok: true, open }
  const supported = [...ENGINES.keys()].join(", ")
  return refused({
    status: 415,
    reason: "bad_encoding",
    message: `The content encoding must be one of: identity, ${supported}.`,
    sample: `Content-Encoding ${quoteForMessage(header)}`,
    headers: { "accept-encoding": supported },
  })
}

/** At most the body limit; past 1 MiB also at most 100 times what was sent. */
function inflatedLimit(sentBytes: number): number {
  return Math.min(BODY_LIMIT_BYTES, Math.max(INFLATE_RATIO_FREE_BYTES, sentBytes * INFLATE_RATIO_LIMIT))
}

export type Inflated = { readonly ok: true; readonly bytes: Uint8Array } | RefusedBody

export async function inflate(sent: Uint8Array, open: () => Engine, memory: BodyMemory): Promise<Inflated> {
  const limit = inflatedLimit(sent.length)
  const engine = open()
  const chunks: Buffer[] = []
  let size = 0
  try {
    engine.end(sent)
    for await (const chunk of engine as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) return refused(tooLargeInflated(limit))
      if (!memory.reserve(chunk.length)) return refused(memory.refusal)
      chunks.push(chunk)
    }
    if (engine.bytesWritten !== sent.length) return refused(undecodable("has data after its end"))
    await memory.turns.next()
    return { ok: true, bytes: Buffer.concat(chunks, size) }
  } catch {
    // zlib throws for data that is not of its format or that ends early; which of the two does not matter.
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
  return { status: 413, reason: "too_large", message: `The body inflates to more than the ${limit} bytes allowed.` }
}

function undecodable(what: string): Refusal {
  return { status: 400, reason: "bad_encoding", message: `The compressed body ${what}.` }
}
