import { bodySource, type BodySource, type DoorRequest } from "./door-request.ts"
import { BODY_LIMIT_BYTES } from "../model/limits.ts"
import type { BodyMemory } from "./body-memory.ts"
import { contentCoding, inflate, type Inflated, refused } from "./inflate.ts"
import type { Refusal } from "./refusal.ts"

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
export async function readBody(request: DoorRequest, { memory, deadlineMs }: BodyReading): Promise<Inflated> {
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
