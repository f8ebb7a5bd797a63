import { StringDecoder } from "node:string_decoder"

/**
 * The lines of a text in UTF-8, without their ends. It holds one chunk and the line that is not complete yet, and asks for the
 * next chunk only once the caller has taken the lines of the last one: `readline` reads on while the caller is busy, up to a
 * thousand lines.
 *
 * @param limit characters of a line. @throws {Error} on a longer one.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8")
  let pieces: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const [first = "", ...others] = decoder.write(chunk).split("\n")
    pieces.push(first)
    length += first.length
    for (const next of others) {
      yield withoutReturn(pieces.join(""))
      pieces = [next]
      length = next.length
    }
    if (length > limit) throw new Error(`a line of more than ${limit} characters`)
  }
  pieces.push(decoder.end())
  const last = pieces.join("")
  if (last !== "") yield withoutReturn(last)
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line
}
