import { PAGE_SETTINGS_KEY, type PageSettings, SETTINGS_MEDIA_TYPE } from "../model/page-settings.ts"
import { metaContent } from "./roots/server-trace.ts"

/** The settings in this document, where the server rendered it for this request. */
export function settingsInDocument(document: Document): PageSettings | undefined {
  const text = metaContent(document, PAGE_SETTINGS_KEY)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as PageSettings
  } catch {
    // Something between server and page rewrote the element: the tunnel can still be asked.
    return undefined
  }
}

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
