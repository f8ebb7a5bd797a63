import type { BrowserContext, Page, Route } from "playwright-core"

/** A text in the chunk with OpenTelemetry's SDK, and in no other. */
const IN_SDK = "You can only call end() on a span once."

/**
 * Holds back the chunk with OpenTelemetry's SDK.
 *
 * @param arrives resolves when the chunk may arrive, with whether it does.
 */
export async function holdSdk(pages: BrowserContext | Page, arrives: () => Promise<boolean>): Promise<void> {
  await pages.route(/\.js$/, async (request: Route) => {
    // The page may be gone by each of these steps.
    try {
      const response = await request.fetch()
      const isHeld = (await response.text()).includes(IN_SDK)
      if (isHeld && !(await arrives())) await request.abort()
      else await request.fulfill({ response })
    } catch {
      await request.abort().catch(() => undefined)
    }
  })
}
