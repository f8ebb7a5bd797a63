import { createHash } from "node:crypto"

/** An id of so many hex digits, the same for the same name. */
export function hexId(name: string, digits: number): string {
  return createHash("sha256").update(name).digest("hex").slice(0, digits)
}
