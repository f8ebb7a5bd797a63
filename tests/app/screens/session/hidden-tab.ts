import type { Page } from "playwright-core"

/** Hides the page as another tab in front of it does, which no command of the browser does. */
export async function hideTab(page: Page): Promise<void> {
  await setVisibility(page, "hidden")
}

/** Shows it again, and waits for the live connection that it opens. */
export async function showTab(page: Page): Promise<void> {
  const connected = page.waitForResponse((response) => new URL(response.url()).pathname === "/live")
  await setVisibility(page, "visible")
  await connected
  await page.getByLabel("Live connection").getByText("Live").waitFor()
}

async function setVisibility(page: Page, state: DocumentVisibilityState): Promise<void> {
  await page.evaluate((visibility) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => visibility })
    document.dispatchEvent(new Event("visibilitychange"))
  }, state)
}
