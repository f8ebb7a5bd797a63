import { safely } from "../../protocol/safely.ts"

/** An image or a frame that hangs keeps a document from loading, and the browser's Stop button for good. */
const LOAD_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 2_000

/** Whether the page is hidden. A page whose visibility cannot be read counts as visible. */
export function isHidden(): boolean {
  return safely(() => document.visibilityState) === "hidden"
}

/**
 * Calls back when the page is unloaded or hidden. A navigation in the same tab fires `pagehide` first; a phone fires only
 * `visibilitychange` before it kills a tab. There is no `unload` listener: it would exclude the page from the
 * back/forward cache.
 *
 * @param onHiding is called before any listener that the page adds later, such as those of web vitals; `onLeave` after them.
 */
export function watchLeaving(
  onHiding: () => void,
  onLeave: (reason: "page_left" | "document_hidden") => void,
  signal: AbortSignal,
): void {
  const options = { signal, capture: true }
  window.addEventListener("pagehide", () => onLeave("page_left"), options)
  window.addEventListener("visibilitychange", () => isHidden() && onHiding(), options)
  const onHidden = () => isHidden() && onLeave("document_hidden")
  document.addEventListener("visibilitychange", onHidden, options)
  // A navigation may begin in a hidden page. Nothing runs in a frozen one, which may be discarded.
  document.addEventListener("freeze", onHidden, options)
}

/** Calls back when the browser restores the page from the back/forward cache, with the time on the page's timeline. */
export function watchRestoring(onRestored: (at: number) => void, signal: AbortSignal): void {
  window.addEventListener("pageshow", (event) => event.persisted && onRestored(event.timeStamp), { signal })
}

/** Resolves once the browser is idle, at most two seconds after the load. A document that does not load counts as loaded after ten. */
export async function whenIdle(): Promise<void> {
  if (document.readyState !== "complete")
    await new Promise((loaded) => {
      window.addEventListener("load", loaded)
      setTimeout(loaded, LOAD_TIMEOUT_MS)
    })
  await new Promise((idle) => {
    const handle = window.requestIdleCallback?.(idle, { timeout: IDLE_TIMEOUT_MS })
    // Safari has no `requestIdleCallback`.
    if (handle === undefined) setTimeout(idle, 0)
  })
}
