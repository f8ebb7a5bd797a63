import { connect } from "node:net"
import { expect, test } from "vitest"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { startInspector, startWithoutStore } from "#tests/inspector/ingest/running-inspector.ts"

const TOKEN = "correcthorsebatterystaple"
const PAGE = { accept: "text/html,application/xhtml+xml", "sec-fetch-mode": "navigate", "sec-fetch-site": "none" }

/** Starts an inspector with a token. Requests follow no redirect, so that tests see them. */
async function startWithToken(start = startWithoutStore) {
  const running = await start({ PAGESPAN_TOKEN: TOKEN })
  const ask = (path: string, headers: Record<string, string> = PAGE, init: RequestInit = {}) =>
    fetch(`${running.url}${path}`, { redirect: "manual", headers, ...init })
  const signIn = (token: string, next = "/", headers: Record<string, string> = {}) =>
    ask("/sign-in", { ...PAGE, ...headers }, { method: "POST", body: new URLSearchParams({ token, next }) })
  return { ...running, ask, signIn }
}

const cookieOf = (response: Response) => response.headers.get("set-cookie")?.split(";", 1)[0] ?? ""

/** What the page of an accepted token does: where it goes, and the key that it stores for its origin. */
async function signedIn(response: Response) {
  const html = await response.text()
  const read = (name: string) => new RegExp(`data-${name}="([^"]*)"`).exec(html)?.[1]
  return { next: read("next"), key: read("key") ?? "" }
}

test("a screen redirects to the sign-in page, and signing in leads back to it", async () => {
  const { ask, signIn, url } = await startWithToken()
  const refused = await ask("/traces?service=shop")
  expect([refused.status, refused.headers.get("location")]).toStrictEqual([
    303,
    "/sign-in?next=%2Ftraces%3Fservice%3Dshop",
  ])
  const page = await ask(refused.headers.get("location")!)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('name="next" value="/traces?service=shop"')
  const accepted = await signIn(TOKEN, "/traces?service=shop", { origin: url })
  expect([accepted.status, (await signedIn(accepted)).next]).toStrictEqual([200, "/traces?service=shop"])
  const attributes = accepted.headers.get("set-cookie")!
  expect(attributes).toMatch(/; Path=\/; .*HttpOnly; SameSite=Strict$/)
  expect(attributes).not.toContain(TOKEN)
  // 503 is the page which says that the screens are starting. This inspector has none.
  expect((await ask("/traces", { ...PAGE, cookie: `other=1; ${cookieOf(accepted)}` })).status).toBe(503)
})

test("a URL with the token starts a session and leads to the URL without the token", async () => {
  const { ask } = await startWithToken()
  const taken = await ask(`/traces?service=shop&token=${TOKEN}`)
  expect([taken.status, taken.headers.get("referrer-policy")]).toStrictEqual([200, "no-referrer"])
  expect((await signedIn(taken)).next).toBe("/traces?service=shop")
  expect((await ask("/traces", { ...PAGE, cookie: cookieOf(taken) })).status).toBe(503)
  const wrong = await ask("/traces?token=not-the-token-at-all")
  expect([wrong.status, wrong.headers.get("set-cookie")]).toStrictEqual([401, null])
  expect(await wrong.text()).not.toContain("not-the-token-at-all")
})

test("a session can read records and neither write nor delete them: every port of the host receives the cookie", async () => {
  const { ask, signIn, url, spotlightUrl } = await startWithToken()
  const cookie = cookieOf(await signIn(TOKEN))
  const live = await ask("/live", { cookie })
  expect(live.status).toBe(200)
  await live.body!.cancel()
  // A server on another port of the host receives the cookie, and can send any header.
  for (const [method, address] of CHANGES(url, spotlightUrl))
    for (const forged of [{}, { origin: new URL(address).origin, "x-pagespan-action": cookie.split("=")[1]! }]) {
      const answer = await fetch(address, { method, headers: { ...JSON_TYPE, cookie, ...forged }, body: "{}" })
      expect([method, address, answer.status]).toStrictEqual([method, address, 401])
    }
  const bearer = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` }
  expect((await ask("/v1/traces", bearer, { method: "POST", body: EMPTY })).status).toBe(200)
})

test("the inspector's own pages change data with the key that the sign-in gave them, and no other page can", async () => {
  const { signIn, url, spotlightUrl } = await startWithToken()
  const accepted = await signIn(TOKEN)
  const cookie = cookieOf(accepted)
  const { key } = await signedIn(accepted)
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(cookie).not.toContain(key)
  const change = (
    headers: Record<string, string>,
    [method, address]: readonly [string, string] = ["POST", `${url}/v1/traces`],
  ) => fetch(address, { method, headers: { ...JSON_TYPE, ...headers }, body: EMPTY })
  const own = { cookie, "x-pagespan-action": key }
  expect((await change({ ...own, origin: url })).status).toBe(200)
  expect((await change({ ...own, origin: spotlightUrl }, ["DELETE", `${spotlightUrl}/clear`])).status).toBe(200)
  expect((await change({ "x-pagespan-action": key, origin: url })).status).toBe(401)
  expect((await change(own)).status).toBe(401)
  expect((await change({ ...own, origin: "http://localhost:3000" })).status).toBe(401)
  expect((await change({ ...own, origin: "http://localhost:3000" }, ["DELETE", `${url}/clear`])).status).not.toBe(200)
})

const JSON_TYPE = { "content-type": "application/json" }
const EMPTY = JSON.stringify({ resourceSpans: [] })
const CHANGES = (url: string, spotlightUrl: string) =>
  [
    ["POST", `${url}/v1/traces`],
    ["POST", `${url}/v1/logs`],
    ["POST", `${url}/open`],
    ["PUT", `${url}/contextlines`],
    ["POST", `${url}/mcp`],
    ["DELETE", `${spotlightUrl}/clear`],
  ] as const

test("no other cookie can read anything", async () => {
  const { ask, signIn } = await startWithToken()
  const value = cookieOf(await signIn(TOKEN)).split("=")[1]
  const cookies = [
    "",
    "pagespan_session=",
    "pagespan_session=0123456789abcdef",
    `pagespan_session=${TOKEN}`,
    `x_pagespan_session=${value}`,
    `pagespan_session=${value}0`,
  ]
  for (const cookie of cookies) {
    expect((await ask("/traces", { ...PAGE, cookie })).status).toBe(303)
    expect((await ask("/live", { cookie })).status).toBe(401)
    expect((await ask("/_next/static/chunk.js", { cookie })).status).toBe(401)
  }
})

test("a wrong token is refused, counted, and reported on the page", async () => {
  const { inspector, signIn } = await startWithToken()
  const refused = await signIn("correcthorsebatterystaplf")
  expect(refused.status).toBe(401)
  expect(refused.headers.get("set-cookie")).toBeNull()
  expect(await refused.text()).toContain('role="alert"')
  expect(inspector.receiver.drops.totals()).toStrictEqual({ unauthorized: 1 })
})

test("a page of another site cannot sign a user in", async () => {
  const { signIn } = await startWithToken()
  expect((await signIn(TOKEN, "/", { origin: "https://evil.example" })).status).toBe(403)
  expect((await signIn(TOKEN, "/", { origin: "null" })).status).toBe(403)
})

/** The response to a path that `fetch` would normalize. */
async function askRaw(port: number, path: string): Promise<string> {
  const socket = connect(port, "127.0.0.1")
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\nconnection: close\r\n\r\n`)
  let answer = ""
  for await (const chunk of socket) answer += String(chunk)
  return answer
}

test("signing in leads to no other site", async () => {
  const { signIn, port } = await startWithToken()
  const elsewhere = [
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "/.//evil.example",
    "/..//evil.example",
    "/a/..//evil.example",
    "/%2e//evil.example",
    String.raw`/\evil.example/`,
    String.raw`/.\/evil.example/`,
    "/\t/evil.example/",
    "/\n//evil.example/",
    "//user@evil.example/",
    "//[::1]:80/",
    "javascript:alert(1)",
    "data:text/html,x",
    "",
  ]
  for (const next of elsewhere)
    expect([next, (await signedIn(await signIn(TOKEN, next))).next]).toStrictEqual([next, "/"])
  for (const path of ["//evil.example/", "/.//evil.example"]) {
    const taken = await askRaw(port, `${path}?token=${TOKEN}`)
    expect(taken).toContain('data-next="/"')
  }
})

test("parameters of the URL cannot inject markup into the page", async () => {
  const { ask } = await startWithToken()
  const page = await ask(`/sign-in?next=${encodeURIComponent('/"><script>alert(1)</script>')}`)
  expect(await page.text()).not.toContain("<script")
  expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
})

test("programs read and SDKs write with the token, and health needs none", async () => {
  const { ask } = await startWithToken(startInspector)
  const live = await ask("/live", { authorization: `Bearer ${TOKEN}` })
  expect(live.status).toBe(200)
  await live.body!.cancel()
  const body = envelope({}, item("event", errorEvent())) as Uint8Array<ArrayBuffer>
  const statuses = ["sentry_key=wrong-key", `sentry_key=${TOKEN}`].map(async (query) => {
    const answer = await ask(`/api/1/envelope/?${query}`, {}, { method: "POST", body })
    return answer.status
  })
  expect(await Promise.all(statuses)).toStrictEqual([401, 200])
  expect((await ask("/health", {})).status).toBe(200)
})

test("behind an HTTPS proxy the cookie is sent over HTTPS only", async () => {
  const { signIn } = await startWithToken()
  expect((await signIn(TOKEN, "/", { "x-forwarded-proto": "https" })).headers.get("set-cookie")).toMatch(/; Secure$/)
})

test("without a configured token, the sign-in page redirects to the screen", async () => {
  const { url } = await startWithoutStore()
  const answer = await fetch(`${url}/sign-in?next=/traces`, { redirect: "manual" })
  expect([answer.status, answer.headers.get("location"), answer.headers.get("set-cookie")]).toStrictEqual([
    303,
    "/traces",
    null,
  ])
})

test("in a browser: from a screen to the form, a wrong token, the right one, and the screen; form and screen are dark in a dark browser", async () => {
  const { url } = await startWithToken()
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ colorScheme: "dark" })
    const colour = () => page.evaluate(() => getComputedStyle(document.body).color)
    await page.goto(`${url}/traces?service=shop`)
    expect(await page.title()).toBe("Sign in · Pagespan")
    expect(await colour()).toBe("rgb(255, 255, 255)")
    await page.fill("#token", "not-the-token-at-all")
    await page.click("button")
    await page.waitForSelector("[role=alert]")
    await page.fill("#token", TOKEN)
    await page.click("button")
    await page.waitForURL(`${url}/traces?service=shop`)
    expect(await page.textContent("body")).toContain("Pagespan is starting.")
    expect(await colour()).toBe("rgb(255, 255, 255)")
    expect(await page.evaluate(() => document.cookie)).toBe("")
    // The script of the page between has stored the key for this origin, and is not in the history.
    expect(await page.evaluate(() => localStorage.getItem("pagespan.action"))).toMatch(/^[0-9a-f]{64}$/)
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(4)
  } finally {
    await browser.close()
  }
})
