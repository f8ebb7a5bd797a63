import type { Page } from "playwright-core"
import { sleep } from "#tests/support/wait-for.ts"
import { cpuParts } from "../ingest/process-figures.ts"
import { postJson } from "./post-json.ts"
import { type Bench, freshPage, type Line, type Scenario } from "./scenario.ts"

/** What an open screen costs while nobody uses it: while nothing arrives, and while a service sends a trace each second. */

/** After its load a screen refreshes twice within this time, and its own spans arrive. */
const SETTLED_MS = 20_000
const WATCHED_MS = 60_000
const PATHS = ["/", "/traces"]

export const idleScreens: Scenario = async (bench) => {
  await sendTrace(bench, 0)
  const lines = [await measure(bench, "no screen", undefined, false)]
  for (const path of PATHS) {
    const page = await freshPage(bench)
    await page.goto(bench.app.url + path)
    for (const isSending of [false, true]) lines.push(await measure(bench, path, page, isSending))
    await page.context().close()
  }
  return lines
}

async function measure(bench: Bench, path: string, page: Page | undefined, isSending: boolean): Promise<Line> {
  const { pid } = bench.app
  const stop = new AbortController()
  const sending = isSending ? sendEachSecond(bench, stop.signal) : undefined
  await sleep(SETTLED_MS)
  let requests = 0
  page?.on("request", () => (requests += 1))
  const before = { ...cpuParts(pid), tab: await tabSeconds(page) }
  await sleep(WATCHED_MS)
  const after = { ...cpuParts(pid), tab: await tabSeconds(page) }
  stop.abort()
  await sending
  const share = (part: keyof typeof before) => `${(((after[part] - before[part]) * 100_000) / WATCHED_MS).toFixed(1)} %`
  return {
    screen: path,
    arrives: isSending ? "a trace a second" : "nothing",
    "requests a minute": requests,
    "store, of a core": share("store"),
    "server, of a core": `${share("handlers")} + ${share("threads")}`,
    "tab, of a core": share("tab"),
  }
}

/** CPU seconds of the renderers. */
async function tabSeconds(page: Page | undefined): Promise<number> {
  const browser = page?.context().browser()
  if (!browser) return 0
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send("SystemInfo.getProcessInfo")
  await session.detach()
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0)
}

async function sendEachSecond(bench: Bench, signal: AbortSignal): Promise<void> {
  for (let trace = 1; !signal.aborted; trace += 1) {
    await sendTrace(bench, Date.now() * 1_000 + trace)
    await sleep(1_000)
  }
}

function sendTrace({ app }: Bench, trace: number): Promise<unknown> {
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: trace.toString(16).padStart(32, "d0"),
    spanId: trace.toString(16).padStart(16, "e0"),
    name: "GET /cart",
    kind: 2,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 5_000_000n),
  }
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] }
  return postJson(`${app.url}/v1/traces`, { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })
}
