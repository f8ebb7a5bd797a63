import { type PageSettings, SETTINGS_MEDIA_TYPE } from "../../page-settings.ts"
import { pageClock } from "../clock.ts"
import { backoffMs, MINUTES_BACKOFF_MS } from "./retry-policy.ts"

/**
 * The settings from the tunnel, for a document that was made at build time. A request that fails is made again, with a
 * growing wait or when the browser is online again; meanwhile what is to be sent waits in its bounded queues.
 *
 * @returns `undefined` only once the signal has aborted.
 */
export async function settingsFromTunnel(
  fetch: typeof globalThis.fetch,
  tunnel: string,
  signal: AbortSignal,
): Promise<PageSettings | undefined> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      const response = await fetch(tunnel, { method: "POST", headers: { "content-type": SETTINGS_MEDIA_TYPE }, signal })
      const settings = (await response.json()) as PageSettings
      if (response.ok) return settings
    } catch {
      // Offline, blocked, or an answer that is not JSON.
    }
    await pause(backoffMs(attempt, Math.random, MINUTES_BACKOFF_MS), signal)
  }
  return undefined
}

/** Resolves after the time, or when the browser says that it is online again. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      window.removeEventListener("online", wake)
      pageClock.clearTimeout(timer)
      resolve()
    }
    const timer = pageClock.setTimeout(wake, milliseconds)
    window.addEventListener("online", wake, { signal })
  })
}
