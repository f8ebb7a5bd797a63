import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const TRACE_ID = "badbadbadbadbadbadbadbadbadbadba"
/** Text that has an effect if it is interpreted as markup, a style or a URL. */
const HOSTILE = [
  `<img src=x onerror="document.title='taken'">`,
  `"><script>document.title='taken'</script>`,
  `javascript:document.title='taken'`,
  `</style><style>body{display:none}</style>`,
  `\u202Eesrever\u202C\u0000\u001B[31m`,
]

let app: RunningApp
let browser: Browser
let page: Page
const violations: string[] = []
const foreign: string[] = []

beforeAll(async () => {
  app = await RunningApp.start()
  browser = await launchChromium()
  page = await browser.newPage()
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) violations.push(message.text())
  })
  page.on("request", (request) => {
    if (!request.url().startsWith(app.url)) foreign.push(request.url())
  })
  await postHostileTrace()
})

afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

async function postHostileTrace(): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n
  const attributes = HOSTILE.flatMap((text, index) => [
    { key: `key ${index}`, value: { stringValue: text } },
    { key: text, value: { stringValue: "value" } },
  ])
  const spans = HOSTILE.map((text, index) => ({
    traceId: TRACE_ID,
    spanId: (0xbad0 + index).toString(16).padStart(16, "0"),
    ...(index === 0 ? {} : { parentSpanId: "000000000000bad0" }),
    name: text,
    startTimeUnixNano: `${now}`,
    endTimeUnixNano: `${now + 1_000_000n}`,
    attributes,
    events: [{ name: text, timeUnixNano: `${now}`, attributes }],
    status: { code: 2, message: text },
  }))
  const resource = { attributes: [{ key: "service.name", value: { stringValue: HOSTILE[0] } }] }
  await fetch(`${app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
  })
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${TRACE_ID}`)).ok)
}

test.each([
  "/",
  "/traces",
  `/traces/${TRACE_ID}`,
  `/traces/${TRACE_ID}?span=000000000000bad0`,
  "/connect",
  "/no/such/page",
])("%s has a content security policy without inline code, and received text cannot break out of it", async (path) => {
  const response = await page.goto(`${app.url}${path}`)
  const headers = response?.headers() ?? {}
  expect(headers["content-security-policy"]).toMatch(/script-src 'self' 'nonce-[\w+/=]+'/)
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'")
  expect(headers["content-security-policy"]).not.toContain("unsafe")
  expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" })
  expect(headers["x-powered-by"]).toBeUndefined()
  // The live light has connected, so the page has hydrated and its own scripts have run.
  await page.getByText("Live", { exact: true }).waitFor()
  expect(await page.title()).not.toBe("taken")
  expect(await page.locator("body").isVisible()).toBe(true)
  expect(violations).toEqual([])
  expect(foreign).toEqual([])
})

test("a nonce is valid for one response only", async () => {
  const policies = await Promise.all(
    [1, 2].map(async () => (await fetch(`${app.url}/connect`)).headers.get("content-security-policy")),
  )
  expect(policies[0]).not.toBe(policies[1])
})
