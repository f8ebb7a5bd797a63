const LONE_SURROGATE = /\p{Surrogate}/u

/** JSON can escape half of a surrogate pair, which UTF-8 and so protobuf cannot say. */
export function wellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? Buffer.from(text).toString() : text
}
