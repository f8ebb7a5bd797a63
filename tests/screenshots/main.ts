import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { launchWholeBrowser } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { sendSamples } from "../app/screens/samples/sample-records.ts"
import { idOf, SPAN, visit, VISIT } from "../app/screens/samples/shop-trace.ts"
import { palettePng } from "./palette-png.ts"

/**
 * Takes the screenshots in `docs/images` from the built inspector with sample records.
 *
 *     npm run screenshots
 */

const FOLDER = "docs/images"
const SHOTS = [
  { name: "traces", path: "/traces", height: 900 },
  { name: "trace", path: `/traces/${VISIT}?span=${idOf(VISIT, SPAN.items)}&path=1`, height: 900 },
  { name: "errors", path: "/errors", height: 440 },
  { name: "routes", path: "/routes", height: 300 },
] as const
const LOOKS = [
  { suffix: "", colorScheme: "light", width: 1_440 },
  { suffix: "-dark", colorScheme: "dark", width: 1_440 },
] as const
const NARROW = { name: "traces-390", path: "/traces", colorScheme: "dark", width: 390, height: 844 } as const

const app = await RunningApp.start()
const browser = await launchWholeBrowser()
try {
  await sendSamples(app.url)
  await send(visit(VISIT, Date.now() - 40_000))
  await sendSentryError()
  await waitFor("the errors", async () => (await count("/api/errors", "issues")) >= 5)
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${VISIT}`)).ok)
  await mkdir(FOLDER, { recursive: true })
  const blank = await browser.newPage()
  // The compiler of this file emits calls of a helper that the page does not have.
  await blank.evaluate("globalThis.__name = (named) => named")
  const all = [
    ...SHOTS.flatMap((shot) => LOOKS.map((look) => ({ ...shot, ...look, name: shot.name + look.suffix }))),
    NARROW,
  ]
  for (const { name, path, colorScheme, width, height } of all) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme })
    await page.goto(app.url + path, { waitUntil: "load" })
    // Charts draw after hydration, and the span panel loads its context.
    await page.waitForTimeout(2_000)
    const picture = await palettePng(blank, await page.screenshot())
    await writeFile(join(FOLDER, `${name}.png`), picture)
    console.info(`${name}.png ${(picture.length / 1_000).toFixed(0)} kB`)
    await page.close()
  }
} finally {
  await browser.close()
  await app.stop()
}

async function send(body: object): Promise<void> {
  const headers = { "content-type": "application/json" }
  await fetch(`${app.url}/v1/traces`, { method: "POST", headers, body: JSON.stringify(body) })
}

/** Sends the error that a Sentry SDK reports in the span of the API. */
async function sendSentryError(): Promise<void> {
  const seconds = (ms: number) => (Date.now() - 40_000 + ms) / 1_000
  const trace = { trace_id: VISIT, span_id: idOf(VISIT, SPAN.items), op: "http.server" }
  const payload = {
    event_id: "2".repeat(32),
    timestamp: seconds(40),
    level: "error",
    exception: { values: [{ type: "StockError", value: "none left" }] },
    contexts: { trace },
  }
  const lines = [{ event_id: payload.event_id }, { type: "event" }, payload].map((line) => JSON.stringify(line))
  await fetch(`${app.url}/api/1/envelope/?sentry_key=${"a".repeat(32)}`, {
    method: "POST",
    headers: { "content-type": "application/x-sentry-envelope" },
    body: lines.join("\n"),
  })
}

async function count(path: string, list: string): Promise<number> {
  const answer = (await (await fetch(app.url + path)).json()) as Record<string, readonly unknown[]>
  return answer[list]?.length ?? 0
}
