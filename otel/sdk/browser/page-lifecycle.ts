import { epochTime } from "./clock.ts"

/** Whether nobody sees the page now. One that does not let itself be asked counts as seen. */
export function isHidden(): boolean {
  try {
    return document.visibilityState === "hidden"
  } catch {
    return false
  }
}

/**
 * Calls back when the page is left for good or for now. `pagehide` comes first on a same-tab navigation, `hidden`
 * alone when a phone's tab is put away and killed later. No `unload` listener: it would cost the page its place in
 * the back/forward cache.
 */
export function watchLeaving(onLeave: (reason: "page_left" | "document_hidden") => void, signal: AbortSignal): void {
  window.addEventListener("pagehide", () => onLeave("page_left"), { signal, capture: true })
  document.addEventListener(
    "visibilitychange",
    () => {
      if (isHidden()) onLeave("document_hidden")
    },
    { signal, capture: true },
  )
}

/** Calls back when the browser shows the page again as it was left, with the moment in milliseconds since the epoch. */
export function watchRestoring(onRestored: (at: number) => void, signal: AbortSignal): void {
  window.addEventListener(
    "pageshow",
    (event) => {
      if (event.persisted) onRestored(epochTime(event.timeStamp))
    },
    { signal },
  )
}
