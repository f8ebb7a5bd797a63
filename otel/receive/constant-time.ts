import { createHash, timingSafeEqual } from "node:crypto"

/** Digests have the same length whatever was presented, so that neither content nor length shows in the time taken. */
export function isEqualInConstantTime(presented: string, expected: string): boolean {
  return timingSafeEqual(digest(presented), digest(expected))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
