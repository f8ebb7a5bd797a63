/** Some tenth of a millisecond's work to put together and encode. */
const CHUNK_CHARACTERS = 128 * 1024

/** Lines as bytes, in chunks that are made one after the other: between two of them requests can be answered. */
export class LineChunks {
  readonly #chunks: Buffer[] = []
  #lines: string[] = []
  #characters = 0

  add(line: string): void {
    this.#lines.push(line)
    this.#characters += line.length
    if (this.#characters >= CHUNK_CHARACTERS) this.#cut()
  }

  /** All of them, each of which ends with a line. Nothing can be added after it. */
  end(): readonly Buffer[] {
    if (this.#lines.length > 0) this.#cut()
    return this.#chunks
  }

  #cut(): void {
    this.#lines.push("")
    this.#chunks.push(Buffer.from(this.#lines.join("\n")))
    this.#lines = []
    this.#characters = 0
  }
}
