import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { readEverything, writeEverything } from "./page-attempts.ts"

/** Pages of other origins in a real browser on the same machine, where no firewall protects the inspector. */
const STORED = "stored for the user of the inspector"
const STORED_ID = "5".repeat(32)

let app: RunningApp
let browser: Browser
let site: Server

beforeAll(async () => {
  site = createServer((_request, response) => {
    response.setHeader("content-type", "text/html")
    response.end("<!doctype html><title>another site</title>")
  })
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve))
  ;[app, browser] = await Promise.all([
    RunningApp.start({ PAGESPAN_SELF: "off", PAGESPAN_ALLOWED_ORIGINS: origin("listed.test") }),
    launchChromium("--host-resolver-rules=MAP *.test 127.0.0.1"),
  ])
  const now = `${Date.now()}000000`
  const span = {
    traceId: STORED_ID,
    spanId: "5".repeat(16),
    name: STORED,
    startTimeUnixNano: now,
    endTimeUnixNano: now,
  }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  await fetch(`${app.url}/v1/traces`, { method: "POST", headers: { "content-type": "application/json" }, body })
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${STORED_ID}`)).ok)
})

afterAll(async () => {
  await browser?.close()
  await app?.stop()
  site.close()
})

function origin(host: string): string {
  return `http://${host}:${(site.address() as AddressInfo).port}`
}

async function openPage(address: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(address)
  return page
}

/** The names of stored records that `writeEverything` sent with this mark. */
async function written(mark: string): Promise<string[]> {
  const texts = await Promise.all(
    ["/api/traces?limit=1000", "/api/errors?limit=1000"].map(async (path) => (await fetch(`${app.url}${path}`)).text()),
  )
  return [...new Set(texts.join("\n").match(new RegExp(`${mark} by [\\w -]+`, "g")) ?? [])].sort()
}

const target = () => ({ app: app.url, traceId: STORED_ID })

describe("a page of another origin", () => {
  test("cannot read, by any means", async () => {
    const page = await openPage(origin("evil.test"))
    const read = await page.evaluate(readEverything, target())
    expect(read).toHaveLength(8)
    expect(read.filter(({ got }) => got !== "")).toEqual([])
    await page.close()
  })

  test("cannot write, by any means, and each attempt is counted", async () => {
    const page = await openPage(origin("evil.test"))
    const before = await dropsOf("foreign_origin")
    await page.evaluate(writeEverything, { ...target(), mark: "evil" })
    await waitFor("refusals", async () => (await dropsOf("foreign_origin")) >= before + 6)
    await sleep(700)
    expect(await written("evil")).toEqual([])
    await page.close()
  })

  test("cannot read or write from a frame with an opaque origin", async () => {
    const page = await openPage(origin("evil.test"))
    await page.setContent(`<iframe sandbox="allow-scripts allow-forms" srcdoc="<p>no origin"></iframe>`)
    const frame = page.frames()[1]!
    await frame.waitForLoadState()
    expect(await frame.evaluate(() => window.origin)).toBe("null")
    expect((await frame.evaluate(readEverything, target())).filter(({ got }) => got !== "")).toEqual([])
    await frame.evaluate(writeEverything, { ...target(), mark: "sandboxed" })
    await sleep(1_000)
    expect(await written("sandboxed")).toEqual([])
    await page.close()
  })

  test("can write if it is listed, and cannot read", async () => {
    const page = await openPage(origin("listed.test"))
    await page.evaluate(writeEverything, { ...target(), mark: "listed" })
    await waitFor("what it wrote", async () => (await written("listed")).length >= 4)
    expect(await written("listed")).toEqual(expect.arrayContaining(["listed by beacon", "listed by fetch"]))
    expect((await page.evaluate(readEverything, target())).filter(({ got }) => got !== "")).toEqual([])
    await page.close()
  })

  test("that is listed can write with any headers, as exporters of vendors send their keys", async () => {
    const page = await openPage(origin("listed.test"))
    const headers = { authorization: "Bearer key", "x-api-key": "key", "x-honeycomb-team": "key", "uptrace-dsn": "key" }
    const status = await page.evaluate(
      async ([url, given]) => {
        const type = { "content-type": "application/json" }
        return (await fetch(url, { method: "POST", headers: { ...type, ...given }, body: "{}" })).status
      },
      [`${app.url}/v1/traces`, headers] as const,
    )
    expect(status).toBe(200)
    await page.close()
  })

  test("with its own DNS name for this machine is not served at all", async () => {
    const rebound = `http://rebound.test:${new URL(app.url).port}`
    const page = await browser.newPage()
    for (const path of ["/", "/traces", `/api/traces/${STORED_ID}`, "/live"]) {
      const response = await page.goto(`${rebound}${path}`)
      expect(response?.status()).toBe(421)
      expect(await response?.text()).not.toContain(STORED)
    }
    // The browser treats these requests as same-origin.
    const read = await page.evaluate(readEverything, { app: rebound, traceId: STORED_ID })
    expect(read.filter(({ got }) => got.includes("stored for") || got.includes("traceId"))).toEqual([])
    await page.evaluate(writeEverything, { app: rebound, traceId: STORED_ID, mark: "rebound" })
    await sleep(1_000)
    expect(await written("rebound")).toEqual([])
    await page.close()
  })
})

test("an own page of the inspector can read everything, so the attempts are real", async () => {
  const page = await openPage(`${app.url}/connect`)
  const read = await page.evaluate(readEverything, target())
  // Its content security policy allows no frames, and text is no image.
  const ways = ["fetch", "fetch with cookies", "fetch without cors", "screen", "event source"]
  expect(read.filter(({ got }) => got !== "").map(({ how }) => how)).toEqual(ways)
  expect(read.find(({ how }) => how === "fetch")?.got).toContain(STORED)
  await page.close()
})

async function dropsOf(reason: string): Promise<number> {
  const { dropped: drops } = (await (await fetch(`${app.url}/health`)).json()) as { dropped: Record<string, number> }
  return drops[reason] ?? 0
}
