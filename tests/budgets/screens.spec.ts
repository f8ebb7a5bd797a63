import { gunzipSync } from "node:zlib"
import type { Page, Request, Response } from "@playwright/test"
import { expect, test } from "pagespan/testing/playwright"
import { hexId } from "../app/screens/samples/hex-id.ts"
import { openScreen } from "../app/screens/session/open-screen.ts"

/** Every screen with sample records, once. A test has one page, so that what its trace contains belongs to that page. */
const SCREENS: readonly string[] = [
  "/",
  "/traces",
  `/traces/${hexId("visit 3", 32)}`,
  "/logs",
  "/runs",
  "/errors",
  `/errors/${process.env["ISSUE"]}`,
  "/routes",
  "/routes/items/%5Bid%5D",
  "/services",
  "/services/shop",
  "/sessions/s3",
  "/compare?bSince=30m&aSince=60m&aUntil=30m",
  "/filters",
  "/dropped",
  "/connect",
]

/** The first bytes of a compressed body. */
const GZIP = Buffer.from([0x1f, 0x8b])

for (const path of SCREENS)
  test(`opens ${path}`, async ({ page }) => {
    const sent = sentRoot(page)
    await openScreen(page, `${process.env["APP_URL"]}${path}`)
    expect((await sent).status()).toBeLessThan(300)
  })

/** The response to the request that has the page load's root span: the page was idle before, so all it caused is known. */
function sentRoot(page: Page): Promise<Response> {
  return page.waitForResponse((response) => {
    const request = response.request()
    return request.method() === "POST" && textOf(request).includes(`"pageload"`)
  })
}

function textOf(request: Request): string {
  const body = request.postDataBuffer() ?? Buffer.alloc(0)
  return (body.subarray(0, GZIP.length).equals(GZIP) ? gunzipSync(body) : body).toString()
}
