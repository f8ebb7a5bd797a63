/**
 * Cuts a file of OTLP/JSON into pieces that a handler takes, while it is read: an object with `resourceSpans` (or
 * `resourceLogs`), any number of them as JSON lines or one after the other, or an array of them. Only the elements of those
 * lists are looked at; an element goes on as the text that it was, so that no number loses a digit.
 */

/** What a handler is given: one element of a list. */
export interface OtlpElement {
  readonly list: OtlpList
  readonly text: string
}

export const OTLP_LISTS = ["resourceSpans", "resourceLogs", "resourceMetrics"] as const
export type OtlpList = (typeof OTLP_LISTS)[number]

/** An element of more characters than this is no OTLP that anybody could have sent. */
const ELEMENT_LIMIT = 256 * 1024 * 1024

/** Reads on from wherever the last chunk ended: in the middle of a text, of a number, of anything. */
export class OtlpCutter {
  /** Whether brackets closed that were never opened, or an element was too large. */
  broken = false
  #depth = 0
  /** How deep the elements lie: below an object and its list, and below an array where one holds the objects. */
  #base = 0
  #inText = false
  #escaped = false
  #text = ""
  #key = ""
  #list: OtlpList | undefined
  #element: string[] | undefined
  #length = 0

  /** Whether the file ended in the middle of something. */
  get isCut(): boolean {
    return this.#depth !== 0 || this.#inText
  }

  /** The elements that the chunk completes. */
  *push(chunk: string): Generator<OtlpElement> {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk.charCodeAt(at)
      if (this.#inText) {
        this.#goOnInText(character, chunk, at)
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
    if (this.#element !== undefined) this.#keep(chunk.slice(from))
  }

  #beginText(): void {
    this.#inText = true
    this.#text = ""
  }

  #goOnInText(character: number, chunk: string, at: number): void {
    if (this.#escaped) this.#escaped = false
    else if (character === BACKSLASH) this.#escaped = true
    else if (character === QUOTE) this.#inText = false
    // Names of lists stand there alone; other texts may be megabytes.
    if (this.#inText && this.#depth === this.#base + 1 && this.#text.length < 32) this.#text += chunk[at] ?? ""
  }

  /** Whether an element begins. */
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
    this.#keep(chunk.slice(from, at + 1))
    const text = this.#element?.join("")
    this.#element = undefined
    this.#length = 0
    return text === undefined ? undefined : { list: this.#list, text }
  }

  #keep(text: string): void {
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
