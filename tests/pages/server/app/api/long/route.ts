import { randomBytes } from "node:crypto"

/** Takes gzip most of a second. */
const BYTES = 12 << 20

/** Next writes the body at once, and compresses it since it is text. */
export async function GET() {
  return new Response(randomBytes(BYTES).toString("hex"), { headers: { "content-type": "text/plain" } })
}
