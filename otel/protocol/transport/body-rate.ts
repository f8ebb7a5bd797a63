/**
 * A body that holds more than 64 KiB of the shared memory must bring 16 KiB in each 5 s, so that a client which stalls does
 * not hold them until the deadline. Kestrel allows the same 5 s of grace (`MinDataRate`).
 */
const RATE_WINDOW_MS = 5_000
const RATE_WINDOW_BYTES = 16 * 1024
const RATE_FREE_BYTES = 64 * 1024

/** Calls `cut` when the body misses the deadline or the minimum rate. Returns a function that ends the watch. */
export function watchRate(body: { readonly size: number }, deadlineMs: number, cut: () => void): () => void {
  const end = performance.now() + deadlineMs
  let before = 0
  const check = () => {
    const stalls = body.size > RATE_FREE_BYTES && body.size - before < RATE_WINDOW_BYTES
    if (stalls || performance.now() >= end) return cut()
    before = body.size
    timer = schedule()
  }
  const schedule = () => setTimeout(check, Math.max(1, Math.min(RATE_WINDOW_MS, end - performance.now())))
  let timer = schedule()
  return () => clearTimeout(timer)
}
