const LIMIT_MS = 1_000

/** Whether what answers at the address is an inspector of ours, by the shape of its health. */
export async function isInspector(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(LIMIT_MS) })
    const health = (await response.json()) as { queue?: { depth?: unknown }; losses?: unknown }
    return typeof health.queue?.depth === "number" && typeof health.losses === "object"
  } catch {
    // Nothing there, or something that speaks otherwise.
    return false
  }
}
