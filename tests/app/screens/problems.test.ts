import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { openScreen } from "./session/open-screen.ts"

/** An inspector whose ClickHouse does not respond. */
let app: RunningApp

beforeAll(async () => {
  // Nothing listens on this port.
  app = await RunningApp.launch({ PAGESPAN_SELF: "off", CLICKHOUSE_URL: "http://127.0.0.1:9" })
  await waitFor("the address", () => /^Pagespan is on /m.test(app.output))
})
afterAll(async () => void (await app?.stop("SIGKILL")))

/** The text of a screen, without markup. */
async function textOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const html = await (await fetch(`${app.url}${path}`, { headers })).text()
  return html.replaceAll(/<script[\s\S]*?<\/script>/g, "").replaceAll(/<[^>]*>/g, " ")
}

describe("while the store is unavailable", () => {
  test.each(["/", "/traces", "/logs", "/errors", "/routes", "/runs", "/dropped"])(
    "%s names the reason, and what happens to new data",
    async (path) => {
      const text = await waitFor("the reason", async () => {
        const shown = await textOf(path)
        return shown.includes("The store is unavailable") && shown
      })
      expect(text).toMatch(/ClickHouse does not respond: .*\. New data is accepted, and waits in the journal\./)
    },
  )
})

describe("when the inspector stops", () => {
  test("an open tab keeps what it shows, and says that it reconnects", async () => {
    const stopping = await RunningApp.start({ PAGESPAN_SELF: "off" })
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await openScreen(page, `${stopping.url}/traces`)
    await page.getByLabel("Live connection").getByText("Live").waitFor()
    const rows = page.getByRole("link", { name: "just stopped" })
    // What arrives makes the screen refresh soon, and once more later. It asks first whether the inspector answers.
    const asked = page.waitForEvent("requestfailed", {
      predicate: (request) => request.url().endsWith("/health"),
      timeout: 120_000,
    })
    await sendTrace(stopping.url)
    await rows.waitFor()
    await stopping.stop("SIGKILL")
    await asked
    expect(await rows.count()).toBe(1)
    expect(await page.getByLabel("Live connection").innerText()).toBe("Reconnecting")
  })
})

/** A trace of one span. */
async function sendTrace(url: string): Promise<void> {
  const time = `${Date.now()}000000`
  const span = {
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    name: "just stopped",
    startTimeUnixNano: time,
    endTimeUnixNano: time,
  }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  await fetch(`${url}/v1/traces`, { method: "POST", headers: { "content-type": "application/json" }, body })
}

/** CPU time that the process has used, in milliseconds. */
function cpuMs(): number {
  // The name of the program, in parentheses, may contain spaces. A tick is 10 ms.
  const fields = readFileSync(`/proc/${app.pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const REQUESTS = 8

async function cpuOf(userAgent: string): Promise<number> {
  const before = cpuMs()
  for (let count = 0; count < REQUESTS; count += 1) await textOf("/connect", { "user-agent": userAgent })
  return cpuMs() - before
}

test.skipIf(process.platform !== "linux")(
  "a long User-Agent costs a screen no more than a short one (where the system reports CPU time)",
  async () => {
    await cpuOf("warm")
    const short = await cpuOf("Mozilla/5.0")
    for (const long of ["a".repeat(14_000), "a-".repeat(7_000), `Google-${"a".repeat(14_000)}`])
      expect([long.slice(0, 12), (await cpuOf(long)) < 3 * short + 1_000]).toEqual([long.slice(0, 12), true])
  },
)
