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

const IDLE_TIMEOUT_MS = 2_000

/** Resolves once the document has loaded and the browser has a quiet moment, at most two seconds later. */
export async function whenIdle(): Promise<void> {
  if (document.readyState !== "complete")
    await new Promise((loaded) => window.addEventListener("load", loaded, { once: true }))
  await new Promise<void>((idle) => {
    // Safari has no `requestIdleCallback`.
    if (typeof window.requestIdleCallback === "function")
      window.requestIdleCallback(() => idle(), { timeout: IDLE_TIMEOUT_MS })
    else window.setTimeout(idle, 0)
  })
}
