import { ATTRIBUTE_VALUE_LIMIT_BYTES } from "../limits.ts"
import type { DropReason } from "./drop.ts"

/** Cost of a number, a boolean or an empty value, so that lists of them are limited too. */
const PLAIN_VALUE_BYTES = 8

/** The byte limit of one attribute value, nested values included. Exceeding it counts as one cut. */
export class ValueBudget {
  #left = ATTRIBUTE_VALUE_LIMIT_BYTES
  #cut = false

  constructor(
    private readonly reader: { cut(reason: DropReason, sample: string): void },
    private readonly what: string,
  ) {}

  /** Whether another entry may follow. */
  hasRoom(): boolean {
    if (this.#left <= 0) this.#countCut()
    return this.#left > 0
  }

  spendPlain(): void {
    this.#left -= PLAIN_VALUE_BYTES
  }

  spendText(text: string): string {
    const kept = cutText(text, Math.max(this.#left, 0))
    if (kept.length < text.length) this.#countCut()
    this.#left -= Buffer.byteLength(kept) + 1
    return kept
  }

  spendBytes(bytes: Uint8Array): Uint8Array {
    const kept = bytes.length > this.#left ? bytes.slice(0, Math.max(this.#left, 0)) : bytes
    if (kept.length < bytes.length) this.#countCut()
    this.#left -= kept.length + 1
    return kept
  }

  #countCut(): void {
    if (this.#cut) return
    this.#cut = true
    this.reader.cut("limit_attributes", `a value of ${this.what} longer than ${ATTRIBUTE_VALUE_LIMIT_BYTES} bytes`)
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The longest prefix of whole characters that has at most `limitBytes` bytes in UTF-8. */
export function cutText(text: string, limitBytes: number): string {
  // A UTF-16 unit takes at most three bytes, so the length alone clears most texts.
  if (text.length * 3 <= limitBytes) return text
  const bytes = new Uint8Array(limitBytes)
  const { read, written } = encoder.encodeInto(text, bytes)
  // Decoding makes a new string; a slice would keep all of the old one in memory.
  return read === text.length ? text : decoder.decode(bytes.subarray(0, written))
}

const SURROGATE = /[\uD800-\uDFFF]/
const LONE_SURROGATE = /\p{Surrogate}/u

/** Replaces lone surrogates, which JSON can escape but UTF-8, and so protobuf, cannot encode. */
export function wellFormed(text: string): string {
  // Almost no text holds a surrogate, and the first expression is much faster.
  return SURROGATE.test(text) && LONE_SURROGATE.test(text) ? Buffer.from(text).toString() : text
}
