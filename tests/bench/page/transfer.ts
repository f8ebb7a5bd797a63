import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import type { Browser } from "playwright-core"
import { visit } from "./load.ts"

/** The batch processor of OpenTelemetry sends after five seconds. */
const FLUSHED_MS = 6_000
/** What a page sends when it is left arrives within this time. */
const LEFT_MS = 1_500

/** What one visit transfers: a load, a click, a navigation, and the end of the page. */
export interface Transfer {
  /** Bytes of the scripts that the HTML names, each after `gzip -9`. */
  readonly firstScripts: number
  /** Bytes of all scripts, each after `gzip -9`. */
  readonly allScripts: number
  readonly requests: number
  readonly scriptRequests: number
  /** Bytes of all request bodies, as they are sent. */
  readonly sent: number
}

interface Exchange {
  readonly path: string
  readonly sent: number
  readonly body: Buffer
  readonly isScript: boolean
}

/** Counts at a proxy in front of the app: the browser's own tools do not show what a page sends when it is left. */
export async function measureTransfer(browser: Browser, origin: string): Promise<Transfer> {
  const exchanges: Exchange[] = []
  const proxy = createServer((incoming, outgoing) => void forward(origin, incoming, outgoing, exchanges))
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  try {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`
    await visit(browser, async ({ page }) => {
      await page.goto(url, { waitUntil: "load" })
      await page.waitForTimeout(FLUSHED_MS)
      await page.getByRole("button", { name: "Sort" }).click()
      await page.getByRole("link", { name: "Open 1" }).click()
      await page.getByRole("heading", { name: "Item 1" }).waitFor()
      await page.waitForTimeout(FLUSHED_MS)
      await page.goto("about:blank")
      await page.waitForTimeout(LEFT_MS)
    })
    return summaryOf(exchanges)
  } finally {
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  }
}

function summaryOf(exchanges: readonly Exchange[]): Transfer {
  const html = exchanges.find(({ path }) => path === "/")?.body.toString() ?? ""
  const scripts = new Map(exchanges.filter(({ isScript }) => isScript).map(({ path, body }) => [path, body]))
  const sizes = [...scripts].map(([path, body]) => ({ path, size: gzipSync(body, { level: 9 }).length }))
  return {
    firstScripts: sum(sizes.filter(({ path }) => html.includes(path)).map(({ size }) => size)),
    allScripts: sum(sizes.map(({ size }) => size)),
    requests: exchanges.length,
    scriptRequests: exchanges.filter(({ isScript }) => isScript).length,
    sent: sum(exchanges.map(({ sent }) => sent)),
  }
}

/** Keeps the `Host` header, since handlers compare it with the origin of the page. The app does not compress what it answers. */
async function forward(
  origin: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  exchanges: Exchange[],
): Promise<void> {
  try {
    const { method, url: path = "/", headers } = incoming
    const sent = await bytesOf(incoming)
    const { "accept-encoding": _, ...kept } = headers
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(path, origin), { method, headers: kept }, resolve).once("error", reject).end(sent)
    })
    const body = await bytesOf(answer)
    const isScript = String(answer.headers["content-type"]).includes("javascript")
    exchanges.push({ path, sent: sent.length, body, isScript })
    const { "transfer-encoding": _chunked, ...answered } = answer.headers
    outgoing.writeHead(answer.statusCode ?? 502, answered).end(body)
  } catch {
    outgoing.destroy()
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0)
}
