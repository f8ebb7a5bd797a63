import type { Page, Response } from "playwright-core"

/** Opens a screen and waits until it has streamed in and is hydrated. */
export async function openScreen(page: Page, address: string): Promise<Response | null> {
  const response = await page.goto(address)
  await page.waitForFunction(() => {
    const comments = document.createTreeWalker(document.body, NodeFilter.SHOW_COMMENT)
    // Markers of React for pending Suspense boundaries, and for streamed content that is not in place yet.
    while (comments.nextNode()) if (/^\$[?~]/.test(comments.currentNode.nodeValue ?? "")) return false
    const button = document.querySelector('button[aria-haspopup="dialog"]')
    return button !== null && Object.keys(button).some((key) => key.startsWith("__reactProps$"))
  })
  return response
}

/** Opens a trace and waits until its rows are in place and the page handles keys. */
export async function openTrace(page: Page, address: string): Promise<void> {
  await openScreen(page, address)
  await page.waitForFunction(() => document.querySelector('[data-placed="false"]') === null)
}
