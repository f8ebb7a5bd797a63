import { PAGE_SETTINGS_KEY, type PageSettings } from "../page-settings.ts"
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
