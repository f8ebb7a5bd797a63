import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import { build, type Rolldown } from "vite"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"

let browser: Browser
let pages: Server
let port: number

beforeAll(async () => {
  const script = await bundle(fileURLToPath(new URL("browser-program.ts", import.meta.url)))
  pages = createServer(({ url }, response) => {
    const isScript = url === "/program.js"
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html")
    response.end(isScript ? script : `<!doctype html><title>sending</title><script src="/program.js"></script>`)
  })
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve))
  port = (pages.address() as AddressInfo).port
  // Host names other than loopback's, for pages of another site.
  browser = await launchChromium("--host-resolver-rules=MAP *.example 127.0.0.1")
})

afterAll(async () => {
  await browser?.close()
  pages?.close()
})

async function bundle(entry: string): Promise<string> {
  const lib = { entry, formats: ["iife" as const], name: "program" }
  const output = await build({ configFile: false, logLevel: "silent", build: { lib, write: false } })
  const [{ output: chunks }] = output as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput]
  return chunks[0].code
}

/** Opens the page on the host and waits until its SDK has sent everything or given up. */
async function visit(host: string, handlers: Readonly<Record<string, string>>): Promise<void> {
  const page = await browser.newPage()
  try {
    await page.goto(`http://${host}:${port}/?${new URLSearchParams(handlers)}`)
    await page.waitForFunction(() => document.title === "sent")
  } finally {
    await page.close()
  }
}

test("Sentry's browser SDK can send from listed origins, and requests from others are refused and counted", async () => {
  const running = await startInspector({ PAGESPAN_ALLOWED_ORIGINS: `http://shop.example:${port}` })
  const dsn = `http://any@127.0.0.1:${running.port}/1`
  await visit("evil.example", { dsn })
  await visit("shop.example", { dsn })
  await visit("localhost", { dsn })
  // One issue, since the same code fails on every host.
  const [issue] = await waitFor("the errors", async () => {
    const { issues } = await running.read("/api/errors")
    return issues[0]?.count >= 2 && issues
  })
  const { events } = await running.read(`/api/errors/${issue.issueId}`)
  expect(events.map(({ value }: { value: string }) => value).toSorted()).toStrictEqual([
    "no such cart in localhost",
    "no such cart in shop.example",
  ])
  await waitFor("both transactions", async () => {
    const { traces } = await running.read("/api/traces")
    return traces.filter(({ name }: { name: string }) => name === "checkout").length === 2
  })
  await running.inspector.receiver.drops.flush()
  const { dropped: drops } = await running.read("/api/dropped")
  expect(drops.find(({ reason }: { reason: string }) => reason === "foreign_origin")).toMatchObject({
    stage: "ingest",
    sample: expect.stringMatching(
      new RegExp(String.raw`^Origin "http://evil\.example:${port}" · from sentry\.javascript\.\w+/\d`),
    ),
  })
})

test("its Spotlight integration can send across origins, with a preflight", async () => {
  const running = await startInspector({ PAGESPAN_ALLOWED_ORIGINS: `http://shop.example:${port}` })
  await visit("shop.example", { spotlight: `${running.spotlightUrl}/stream` })
  const [issue] = await waitFor("the error", async () => {
    const { issues } = await running.read("/api/errors")
    return issues.length > 0 && issues
  })
  expect(issue).toMatchObject({ title: expect.stringContaining("shop.example"), count: 1, sources: ["sentry"] })
})

test("a page of another site can neither write to the Spotlight port nor read from it, by any means", async () => {
  const running = await startInspector()
  const page = await browser.newPage()
  await page.goto(`http://evil.example:${port}/?dsn=`)
  const bases = [running.spotlightUrl]
  const tries = await page.evaluate(async (addresses) => {
    const outcome = async (ask: () => Promise<unknown>) => {
      try {
        return String(await ask())
      } catch {
        return "refused"
      }
    }
    const opens = (source: EventSource) =>
      new Promise((resolve, reject) => {
        source.addEventListener("open", () => resolve("open"))
        source.addEventListener("error", reject)
      }).finally(() => source.close())
    const connects = (socket: WebSocket) =>
      new Promise((resolve, reject) => {
        socket.addEventListener("open", () => resolve("open"))
        socket.addEventListener("error", reject)
      }).finally(() => socket.close())
    const found: Record<string, string> = {}
    for (const base of addresses)
      for (const path of ["/stream", "/live", "/health", "/api/traces", "/clear", "/open", "/contextlines"]) {
        found[`fetch ${base}${path}`] = await outcome(async () => (await fetch(base + path)).status)
        found[`events ${base}${path}`] = await outcome(() => opens(new EventSource(base + path)))
        found[`socket ${base}${path}`] = await outcome(() => connects(new WebSocket(base.replace("http", "ws") + path)))
        for (const method of ["PUT", "DELETE"])
          found[`${method} ${base}${path}`] = await outcome(async () => (await fetch(base + path, { method })).status)
      }
    // Requests that need no preflight and whose response the page cannot read.
    const envelope = '{}\n{"type":"event"}\n{"message":"from evil"}\n'
    for (const base of addresses) {
      for (const path of ["/stream", "/api/1/envelope/", "/open"])
        await outcome(() => fetch(base + path, { method: "POST", mode: "no-cors", body: envelope }))
      navigator.sendBeacon(`${base}/v1/traces`, '{"resourceSpans":[]}')
    }
    return found
  }, bases)
  await page.close()
  expect(Object.entries(tries).filter(([, outcome]) => outcome !== "refused")).toStrictEqual([])
  await running.inspector.receiver.drops.flush()
  expect((await running.read("/api/errors")).issues).toStrictEqual([])
  // Unsupported methods count as malformed.
  expect(Object.keys(running.inspector.receiver.drops.totals()).toSorted()).toStrictEqual([
    "foreign_origin",
    "malformed",
  ])
})
