import { createHash } from "node:crypto"

/** An id with a number of hex digits, derived from a name. */
export function hexId(name: string, digits: number): string {
  return createHash("sha256").update(name).digest("hex").slice(0, digits)
}
