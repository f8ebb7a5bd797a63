const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The longest beginning of the text that takes at most this many bytes as UTF-8 and ends with a whole character. */
export function cutText(text: string, limitBytes: number): string {
  // A UTF-16 unit takes at most three bytes: most texts are short enough to be told from their length.
  if (text.length * 3 <= limitBytes) return text
  const bytes = new Uint8Array(limitBytes)
  const { read, written } = encoder.encodeInto(text, bytes)
  // Decoding makes a new string; a slice would keep all of the old one in memory.
  return read === text.length ? text : decoder.decode(bytes.subarray(0, written))
}
