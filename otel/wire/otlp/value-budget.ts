import { ATTRIBUTE_VALUE_LIMIT_BYTES } from "../../model/limits.ts"
import { cutText } from "./cut-text.ts"
import type { RecordReader } from "./record-reader.ts"

/** What a number, a boolean or an empty value is taken to cost, so that lists of them are bounded too. */
const PLAIN_VALUE_BYTES = 8

/** The bytes that one attribute's value may take, with all that is nested in it. Going past them counts as one cut. */
export class ValueBudget {
  #left = ATTRIBUTE_VALUE_LIMIT_BYTES
  #cut = false

  constructor(
    private readonly reader: Pick<RecordReader, "cut">,
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
