/** Below this a batch gains nothing: it fits into the first packets anyway. */
const WORTHWHILE_BYTES = 2 * 1024

/** The body compressed, where the browser can and it is worth it; else `undefined`. */
export async function gzipped(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (typeof CompressionStream !== "function" || body.length < WORTHWHILE_BYTES) return undefined
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
