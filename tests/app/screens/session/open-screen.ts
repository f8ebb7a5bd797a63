import type { Page, Response } from "playwright-core"

/** Opens a screen and waits until it has streamed in, is hydrated, and has run its effects, which add listeners. */
export async function openScreen(page: Page, address: string): Promise<Response | null> {
  const response = await page.goto(address)
  await page.waitForFunction(() => {
    const comments = document.createTreeWalker(document.body, NodeFilter.SHOW_COMMENT)
    // Markers of React for pending Suspense boundaries, and for streamed content that is not in place yet.
    while (comments.nextNode()) if (/^\$[?~]/.test(comments.currentNode.nodeValue ?? "")) return false
    const controls = [...document.querySelectorAll("a, button, input, select")]
    const isHydrated = (control: Element) => Object.keys(control).some((key) => key.startsWith("__reactProps$"))
    if (!controls.every(isHydrated)) return false
    // The server renders this text. An effect of the layout connects, and what it shows next comes after all its effects.
    const live = document.querySelector('output[aria-label="Live connection"]')
    return live !== null && live.textContent !== "Connecting"
  })
  // React hydrates each Suspense boundary and runs its effects in tasks. The browser is idle after these. WebKit does not report it.
  await page.evaluate(
    () =>
      new Promise<unknown>((resolve) =>
        "requestIdleCallback" in window ? requestIdleCallback(resolve) : setTimeout(resolve, 100),
      ),
  )
  return response
}

/** Opens a trace and waits until its rows are in place and the page handles keys. */
export async function openTrace(page: Page, address: string): Promise<void> {
  await openScreen(page, address)
  await page.waitForFunction(() => document.querySelector('[data-placed="false"]') === null)
}
