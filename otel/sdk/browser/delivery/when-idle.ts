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
