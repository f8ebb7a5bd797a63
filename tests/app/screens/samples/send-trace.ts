/** Sends a trace of one span that has just begun. */
export async function sendTrace(url: string, name: string): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: "00000000000000000000000000abcdef",
    spanId: "00000000000000ab",
    name,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 5_000_000n),
  }
  await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  })
}
