const SURROGATE = /[\uD800-\uDFFF]/
const LONE_SURROGATE = /\p{Surrogate}/u

/** JSON can escape half of a surrogate pair, which UTF-8 and so protobuf cannot say. */
export function wellFormed(text: string): string {
  // Almost no text holds a surrogate, which the plain class finds out in a fraction of the time.
  return SURROGATE.test(text) && LONE_SURROGATE.test(text) ? Buffer.from(text).toString() : text
}
