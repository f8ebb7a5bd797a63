import type { Client } from "@sentry/core"
import { afterEach, expect, test, vi } from "vitest"

afterEach(() => {
  vi.doUnmock("@sentry/browser")
  vi.resetModules()
})

/** Version 10 of the package is not installed. Its integration has this option, which is on unless it is `false`. */
function breadcrumbsOf10({ console = true }: { console?: boolean } = {}) {
  const patched = { clicks: true, requests: true, history: true, console }
  return { name: "Breadcrumbs", setup: (client: { record(patched: object): void }) => client.record(patched) }
}

test("a page records clicks, requests and history, and no console, also with version 10 of Sentry's SDK", async () => {
  vi.doMock("@sentry/browser", () => ({
    breadcrumbsIntegration: breadcrumbsOf10,
    browserSessionIntegration: () => ({ name: "BrowserSession" }),
  }))
  const { recordSession } = await import("#otel/sdk/browser/errors/page-session.ts")
  const record = vi.fn<(patched: object) => void>()
  const client = { record, addEventProcessor: () => undefined } as unknown as Client
  recordSession(client, client)
  expect(record).toHaveBeenCalledExactlyOnceWith({ clicks: true, requests: true, history: true, console: false })
})
