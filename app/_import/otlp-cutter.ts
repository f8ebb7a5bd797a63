/**
 * Splits OTLP/JSON into the elements of its `resourceSpans` and `resourceLogs` lists while it streams in. Accepts one object,
 * JSON lines, concatenated objects or an array of objects. An element keeps its source text, so that no number loses a digit.
 */

/** One element of a list, as JSON text. */
export interface OtlpElement {
  readonly list: OtlpList
  readonly text: string
}

export const OTLP_LISTS = ["resourceSpans", "resourceLogs", "resourceMetrics"] as const
export type OtlpList = (typeof OTLP_LISTS)[number]

/** Longest element in characters, which bounds memory. */
const ELEMENT_LIMIT = 256 * 1024 * 1024

/** A streaming scanner: a chunk may end inside a string or a number. */
export class OtlpCutter {
  /** True after an unmatched closing bracket, or an element over the limit. */
  broken = false
  #depth = 0
  /** Depth at which objects start: 1 inside a top-level array, else 0. */
  #base = 0
  #inText = false
  #escaped = false
  #text = ""
  #key = ""
  #list: OtlpList | undefined
  #element: string[] | undefined
  #length = 0

  /** True while a string or bracket is still open. */
  get isCut(): boolean {
    return this.#depth !== 0 || this.#inText
  }

  /** Yields the elements that the chunk completes. */
  *push(chunk: string): Generator<OtlpElement> {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk.charCodeAt(at)
      if (this.#inText) {
        this.#continueText(character, chunk, at)
        continue
      }
      if (character === QUOTE) this.#beginText()
      else if (character === COLON && this.#depth === this.#base + 1) this.#key = this.#text
      else if (character === OPEN_OBJECT || character === OPEN_LIST) {
        if (this.#open(character)) from = at
      } else if (character === CLOSE_OBJECT || character === CLOSE_LIST) {
        const element = this.#close(chunk, from, at)
        if (element !== undefined) yield element
      }
    }
    if (this.#element !== undefined) this.#append(chunk.slice(from))
  }

  #beginText(): void {
    this.#inText = true
    this.#text = ""
  }

  #continueText(character: number, chunk: string, at: number): void {
    if (this.#escaped) this.#escaped = false
    else if (character === BACKSLASH) this.#escaped = true
    else if (character === QUOTE) this.#inText = false
    // Only keys at this depth matter; other strings may be megabytes long.
    if (this.#inText && this.#depth === this.#base + 1 && this.#text.length < 32) this.#text += chunk[at] ?? ""
  }

  /** Returns true when an element starts here. */
  #open(character: number): boolean {
    if (this.#depth === 0) this.#base = character === OPEN_LIST ? 1 : 0
    if (this.#depth === this.#base + 1)
      this.#list = OTLP_LISTS.find((list) => list === this.#key && character === OPEN_LIST)
    const begins = this.#depth === this.#base + 2 && this.#list !== undefined
    this.#depth++
    if (begins) this.#element = []
    return begins
  }

  #close(chunk: string, from: number, at: number): OtlpElement | undefined {
    this.#depth--
    if (this.#depth < 0) {
      this.broken = true
      this.#depth = 0
    }
    if (this.#element === undefined || this.#depth !== this.#base + 2 || this.#list === undefined) return undefined
    this.#append(chunk.slice(from, at + 1))
    const text = this.#element?.join("")
    this.#element = undefined
    this.#length = 0
    return text === undefined ? undefined : { list: this.#list, text }
  }

  #append(text: string): void {
    this.#length += text.length
    if (this.#length > ELEMENT_LIMIT) {
      this.broken = true
      this.#element = undefined
    }
    this.#element?.push(text)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
