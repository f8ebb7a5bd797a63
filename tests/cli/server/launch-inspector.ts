import { onTestFinished } from "vitest"
import { RunningApp } from "#tests/support/running-app.ts"

/** Starts an inspector that ends with the test. */
export async function launch(environment: Record<string, string>, start?: readonly string[]): Promise<RunningApp> {
  const app = await RunningApp.launch(environment, start)
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  return app
}

export function otlpSpan(index: number): object {
  const now = BigInt(Date.now()) * 1_000_000n
  return {
    traceId: (0xa0000000 + index).toString(16).padStart(32, "0"),
    spanId: (0xb0000000 + index).toString(16).padStart(16, "0"),
    name: `span ${index}`,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_000n),
  }
}

export async function post(url: string, spans: readonly object[]): Promise<number> {
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  })
  return response.status
}
