import type { BodySource } from "./request.ts"
import type { Refusal } from "./responses.ts"

/** Memory for the bytes of bodies. */
interface Room {
  /** @param held bytes that the same body has reserved already. */
  reserve(bytes: number, held: number): boolean
  /** Where no room is left. */
  readonly refusal: Refusal
}

/** Smaller chunks are copied: each would take some 300 bytes besides its own. */
const COPIED_BELOW_BYTES = 4 * 1024
/** Blocks grow with the body up to this: many bodies of a few bytes take little. */
const BLOCK_LIMIT_BYTES = 64 * 1024

/** The bytes of a body that have arrived. */
export class Collected {
  readonly #chunks: Uint8Array[] = []
  /** Of small chunks, its first bytes. */
  #block = Buffer.alloc(0)
  #used = 0
  size = 0

  constructor(
    private readonly memory: Room,
    private readonly limitBytes: number,
  ) {}

  add(chunk: Uint8Array): Refusal | undefined {
    if (this.size + chunk.length > this.limitBytes) return tooLarge(this.limitBytes)
    if (!this.memory.reserve(chunk.length, this.size)) return this.memory.refusal
    // Most bodies are one chunk.
    if (this.size === 0 || chunk.length >= COPIED_BELOW_BYTES) this.#push(chunk)
    else this.#copy(chunk)
    this.size += chunk.length
    return undefined
  }

  bytes(): Uint8Array {
    this.#cut()
    const [only] = this.#chunks
    return only?.length === this.size ? only : Buffer.concat(this.#chunks, this.size)
  }

  #push(chunk: Uint8Array): void {
    this.#cut()
    this.#chunks.push(chunk)
  }

  #copy(chunk: Uint8Array): void {
    if (this.#used + chunk.length > this.#block.length) {
      this.#cut()
      this.#block = Buffer.allocUnsafe(Math.min(BLOCK_LIMIT_BYTES, Math.max(COPIED_BELOW_BYTES, 2 * this.size)))
    }
    this.#block.set(chunk, this.#used)
    this.#used += chunk.length
  }

  /** Ends the copied bytes. */
  #cut(): void {
    if (this.#used === 0) return
    this.#chunks.push(this.#block.subarray(0, this.#used))
    this.#block = this.#block.subarray(this.#used)
    this.#used = 0
  }
}

/** Reads a body to its end, or to its refusal. */
export async function collect(source: BodySource, into: Collected, deadlineMs: number): Promise<Refusal | undefined> {
  let refusal: Refusal | undefined
  const unwatch = watchRate(into, deadlineMs, () => {
    refusal = TOO_SLOW
    source.stop()
  })
  try {
    await source.read((chunk) => {
      refusal ??= into.add(chunk)
      return refusal === undefined
    })
    if (refusal !== undefined) source.stop()
    return refusal
  } catch {
    // The connection broke. No client reads the response, but the refusal is counted.
    return refusal ?? INCOMPLETE
  } finally {
    unwatch()
  }
}

export function tooLarge(limitBytes: number): Refusal {
  return { status: 413, reason: "too_large", message: `Payload too large: the body exceeds ${limitBytes} bytes.` }
}

export const TOO_SLOW: Refusal = {
  status: 408,
  reason: "network_error",
  message: "Request timeout: the body did not arrive in time.",
  headers: { connection: "close" },
}
export const INCOMPLETE: Refusal = {
  status: 400,
  reason: "network_error",
  message: "The connection closed before the end of the body.",
}

/**
 * A body that holds more than 64 KiB of the shared memory must bring 16 KiB in each 5 s, so that a client which stalls does
 * not hold them until the deadline. Kestrel allows the same 5 s of grace (`MinDataRate`).
 */
const RATE_WINDOW_MS = 5_000
const RATE_WINDOW_BYTES = 16 * 1024
const RATE_FREE_BYTES = 64 * 1024

/** Calls `cut` when the body misses the deadline or the minimum rate. Returns a function that ends the watch. */
export function watchRate(body: { readonly size: number }, deadlineMs: number, cut: () => void): () => void {
  const end = performance.now() + deadlineMs
  let before = 0
  const check = () => {
    const stalls = body.size > RATE_FREE_BYTES && body.size - before < RATE_WINDOW_BYTES
    if (stalls || performance.now() >= end) return cut()
    before = body.size
    timer = schedule()
  }
  const schedule = () => setTimeout(check, Math.max(1, Math.min(RATE_WINDOW_MS, end - performance.now())))
  let timer = schedule()
  return () => clearTimeout(timer)
}
