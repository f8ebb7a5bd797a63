import type { Page, Response } from "playwright-core"

/** Opens a screen and waits until all of it has come, and until it answers to keys and clicks: on a busy machine that is later. */
export async function openScreen(page: Page, address: string): Promise<Response | null> {
  const response = await page.goto(address)
  await page.waitForFunction(() => {
    const comments = document.createTreeWalker(document.body, NodeFilter.SHOW_COMMENT)
    // React's marks of what is still to come, and of what has come and is not in its place.
    while (comments.nextNode()) if (/^\$[?~]/.test(comments.currentNode.nodeValue ?? "")) return false
    const button = document.querySelector('button[aria-haspopup="dialog"]')
    return button !== null && Object.keys(button).some((key) => key.startsWith("__reactProps$"))
  })
  return response
}
