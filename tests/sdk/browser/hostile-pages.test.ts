import type { Browser, Frame, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { harmful } from "./hostilities/harmful.ts"
import { harmless } from "./hostilities/harmless.ts"
import type { Hostility } from "./hostilities/hostility.ts"
import { isRoot, storyOf } from "./visit.ts"

/** The number of concurrent loads. Each is a frame of one page, which has its own globals and costs less than a tab. */
const GROUP_SIZE = 16
/** The time for a page to become idle and send. A hostile page may send nothing. */
const IDLE_LIMIT_MS = 1_500
/** The idle second of a root, and a little more. */
const ROOT_END_MS = 1_200

let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest
const noiseOf = new Map<Hostility, readonly string[]>()
/** The traces of a page, in order. */
const tracesOf = new Map<Hostility, readonly (string | undefined)[]>()
const storyWhileShown = new Map<Hostility, string[]>()

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn } })
  const all = [...harmless, ...harmful]
  for (let first = 0; first < all.length; first += GROUP_SIZE) await visitAll(all.slice(first, first + GROUP_SIZE))
})

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
})

/** A console belongs to a tab. If one frame of a group logs, each is opened in its own tab to find it. */
async function visitAll(group: readonly Hostility[]): Promise<void> {
  const noise = await visitTogether(group).catch((error: unknown) => [String(error)])
  for (const hostility of group) noiseOf.set(hostility, noise)
  if (noise.length > 0 && group.length > 1) for (const hostility of group) await visitAll([hostility])
}

/** Loads a page for each, navigates in it, and unloads it. Returns what was thrown or logged meanwhile. */
async function visitTogether(group: readonly Hostility[]): Promise<string[]> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const noise = noiseIn(page)
    const isIdle = idleFrames(page)
    await page.addInitScript(
      `({ ${group.map(({ before }, index) => `${index}: ${String(before)}`).join(",\n")} })[window.name]?.()`,
    )
    await serveFrames(page, group)
    await page.goto(`${app.origin}/frames`, { waitUntil: "load" })
    const visits = group.map(async (hostility, index) =>
      tracesOf.set(hostility, await goOn(page.frame(String(index))!, isIdle)),
    )
    await Promise.all(visits)
    await page.waitForTimeout(ROOT_END_MS)
    for (const hostility of group.filter((each) => harmless.includes(each)))
      await waitFor("both roots", () => rootsOf(hostility).length >= 2).catch(() => undefined)
    // A page that is left sends what it has, whatever stopped it before.
    for (const hostility of group) storyWhileShown.set(hostility, storyOf(rootsOf(hostility)))
    await page.goto("about:blank")
    return noise
  } finally {
    await context.close()
  }
}

function noiseIn(page: Page): string[] {
  const noise: string[] = []
  page.on("pageerror", (error) => noise.push(String(error)))
  page.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`))
  return noise
}

function idleFrames(page: Page): (frame: Frame) => boolean {
  const idle = new Set<Frame>()
  page.on("request", (request) => {
    if (request.url().endsWith("/monitoring")) idle.add(request.frame())
  })
  return (frame) => idle.has(frame)
}

async function serveFrames(page: Page, group: readonly Hostility[]): Promise<void> {
  const frames = group.map((_, index) => `<iframe name="${index}" src="/static?${index}"></iframe>`)
  await page.route(
    ({ pathname }) => pathname === "/frames",
    (intercepted) => intercepted.fulfill({ contentType: "text/html", body: `<!doctype html>${frames.join("")}` }),
  )
  await page.route(
    ({ pathname, search }) => pathname === "/static" && group[Number(search.slice(1))]?.policy !== undefined,
    async (intercepted) => {
      const { policy } = group[Number(new URL(intercepted.request().url()).search.slice(1))]!
      const response = await intercepted.fetch()
      const headers = { ...response.headers(), "content-security-policy": policy! }
      await intercepted.fulfill({ response, headers })
    },
  )
}

type Traced = { [KEY: symbol]: { currentTraceId(): string | undefined } | undefined }

async function goOn(frame: Frame, isIdle: (frame: Frame) => boolean): Promise<(string | undefined)[]> {
  const trace = () => frame.evaluate(() => (window as unknown as Traced)[Symbol.for("pagespan.page")]?.currentTraceId())
  await frame.waitForFunction(() => "appRouter" in window)
  await waitFor("an idle page", () => isIdle(frame), IDLE_LIMIT_MS).catch(() => undefined)
  const loaded = await trace()
  await frame.evaluate(() => document.querySelector<HTMLAnchorElement>('a[href="/items/1"]')?.click())
  await frame.waitForFunction(() => document.querySelector("h1")?.textContent?.startsWith("item 1"))
  return [loaded, await trace()]
}

function rootsOf(hostility: Hostility): Payload[] {
  const traces = tracesOf.get(hostility) ?? []
  const roots = sentry.transactions().filter((root) => isRoot(root) && traces.includes(root["contexts"].trace.trace_id))
  return roots.sort((a, b) => a["start_timestamp"] - b["start_timestamp"])
}

test.each([...harmless, ...harmful])("a page $what works, and the tracer logs and throws nothing", (hostility) => {
  expect(noiseOf.get(hostility)).toEqual([])
})

test.each(harmless)("a page $what is traced", (hostility) => {
  expect(storyWhileShown.get(hostility)).toEqual(["pageload /static", "navigation /items/[id] by push"])
})

test("a sandboxed frame works, and the tracer logs, throws and exposes nothing", async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const noise = noiseIn(page)
  const sent: { readonly path: string; readonly headers: Record<string, string> }[] = []
  page.on("request", (request) => sent.push({ path: new URL(request.url()).pathname, headers: request.headers() }))
  await page.route(
    ({ pathname }) => pathname === "/frames",
    (intercepted) =>
      intercepted.fulfill({
        contentType: "text/html",
        body: '<iframe sandbox="allow-scripts" src="/static"></iframe>',
      }),
  )
  await page.goto(`${app.origin}/frames`, { waitUntil: "load" })
  const [, frame] = page.frames()
  await frame!.waitForFunction(() => "appRouter" in window)
  expect(await frame!.evaluate(() => window.origin)).toBe("null")
  await frame!.evaluate(async () => {
    window.addEventListener("error", (event) => event.preventDefault())
    window.dispatchEvent(new ErrorEvent("error", { error: new Error("in a frame"), cancelable: true }))
    await fetch("/api/things/1", { mode: "no-cors" })
  })
  // A root would have ended by now.
  await page.waitForTimeout(2 * ROOT_END_MS)
  await page.goto("about:blank")
  await context.close()
  expect(noise).toEqual([])
  expect(sent.map(({ path }) => path)).toContain("/api/things/1")
  expect(sent.filter(({ path, headers }) => path === "/monitoring" || "traceparent" in headers)).toEqual([])
})
