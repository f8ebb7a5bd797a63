import { createHash } from "node:crypto"

/** 32 hexadecimal digits that depend on the parts alone. It names records for deduplication; it guards nothing. */
export function recordId(...parts: readonly string[]): string {
  const hash = createHash("md5")
  // The length in front keeps ("ab", "c") and ("a", "bc") apart.
  for (const part of parts) hash.update(`${part.length}:${part}`)
  return hash.digest("hex")
}
