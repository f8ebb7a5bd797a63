import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { isRoot, waitInPage } from "./visit.ts"

/** A document that never loads, as if it waited for an advertisement, or stopped by its visitor. */

let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
})
afterAll(() => recorded?.stop())

/** The address of an image that does not arrive. */
async function hangingImage(): Promise<string> {
  const server = createServer(() => undefined)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.png`
}

test.each([
  ["waits for an image without end", false],
  ["is stopped while it loads", true],
])(
  "a document that %s sends its root and its errors, with their stacks, while it is shown",
  async (_what, isStopped) => {
    const image = await hangingImage()
    recorded.sentry.clear()
    const context = await recorded.browser.newContext()
    const page = await context.newPage()
    await page.addInitScript((src) => {
      window.addEventListener("DOMContentLoaded", () => document.body.append(Object.assign(new Image(), { src })))
    }, image)
    await page.goto(`${recorded.app.origin}/static`, { waitUntil: "commit" })
    await waitInPage(page, () => "appRouter" in window)
    if (isStopped) await page.evaluate(() => window.stop())
    await page.evaluate(() => void Promise.reject(new Error("never loaded")))
    await recorded.sentry.waitForTransaction("the pageload", isRoot, 30_000)
    const error = await recorded.sentry.waitForError("of the page", (event) => event["exception"] !== undefined, 30_000)
    expect(error["exception"].values[0]).toMatchObject({ value: "never loaded", stacktrace: expect.anything() })
    await context.close()
  },
)
