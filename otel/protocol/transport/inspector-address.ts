/** The default port of OTLP/HTTP, which the inspector listens on. */
const OTLP_PORT = "4318"

/** The `user-agent` of requests by Pagespan's own programs. The inspector does not trace them. */
export const COMMAND_USER_AGENT = "pagespan-command"

const HEALTH_TIMEOUT_MS = 1_000

/** The address of an inspector on this machine, by `PORT`. */
export function localUrl(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return `http://localhost:${environment["PORT"] || OTLP_PORT}`
}

/**
 * Whether an inspector answers at the address. It is recognized by the shape of its health report.
 *
 * @param timeoutMs time for the whole answer, in milliseconds. Default: 1,000.
 */
export async function isInspector(url: string, timeoutMs = HEALTH_TIMEOUT_MS): Promise<boolean> {
  try {
    const headers = { "user-agent": COMMAND_USER_AGENT }
    const response = await fetch(`${url}/health`, { headers, signal: AbortSignal.timeout(timeoutMs) })
    const { status, queue } = (await response.json()) as { status?: unknown; queue?: Record<string, unknown> }
    return typeof status === "string" && typeof queue?.["depth"] === "number" && typeof queue["oldestMs"] === "number"
  } catch {
    // Nothing listens there, or another program does.
    return false
  }
}
