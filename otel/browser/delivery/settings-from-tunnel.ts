import { type PageSettings, SETTINGS_MEDIA_TYPE } from "../../model/page-settings.ts"

/** The settings from the tunnel, for a document that was made at build time. `undefined` where there is no answer. */
export async function settingsFromTunnel(
  fetch: typeof globalThis.fetch,
  tunnel: string,
): Promise<PageSettings | undefined> {
  try {
    const response = await fetch(tunnel, { method: "POST", headers: { "content-type": SETTINGS_MEDIA_TYPE } })
    return response.ok ? ((await response.json()) as PageSettings) : undefined
  } catch {
    // Offline, or the page is going away: what is waiting stays in its bounded queue.
    return undefined
  }
}
