import { waitFor } from "#tests/support/wait-for.ts"
import { postJson } from "./post-json.ts"
import { type Bench, freshPage, type Line, milliseconds, type Scenario } from "./scenario.ts"
import { scrollByScript, scrollByWheel } from "./scrolling.ts"

/** The list of logs over a million lines: its first line, and the frames while it scrolls and loads older lines. */

const LINES = 1_000_000
const LINES_A_REQUEST = 5_000
const SERVICES = ["gateway", "web", "checkout", "stock"]
/** Long enough for a busy machine. */
const PATIENCE_MS = 300_000

export const manyLogs: Scenario = async (bench) => {
  await seedLogs(bench)
  const page = await freshPage(bench)
  const start = performance.now()
  await page.goto(`${bench.app.url}/logs`, { waitUntil: "commit", timeout: PATIENCE_MS })
  const scroller = page.getByRole("region", { name: "Logs" })
  await scroller.getByRole("listitem").first().waitFor({ timeout: PATIENCE_MS })
  const firstLine = performance.now() - start
  // The histogram and the facets are counted behind the list.
  await page.getByText(`of ${LINES.toLocaleString("en-US")} logs`).waitFor({ timeout: PATIENCE_MS })
  await page.waitForTimeout(1_000)
  const wheel = await scrollByWheel(page, scroller)
  const script = await scrollByScript(scroller)
  const line: Line = {
    what: `${LINES.toLocaleString("en-US")} lines`,
    "first line": milliseconds(firstLine),
    "wheel fps": wheel.fps.toFixed(0),
    "scroll fps": script.fps.toFixed(0),
    "longest frame": milliseconds(Math.max(wheel.longest, script.longest)),
    "lines in DOM": await scroller.getByRole("listitem").count(),
  }
  await page.context().close()
  return [line]
}

/** Lines of ten minutes, of four services, with attributes, one in ten of them structured. */
async function seedLogs({ app: { url } }: Bench): Promise<void> {
  const start = BigInt(Date.now() - 600_000) * 1_000_000n
  for (let from = 0; from < LINES; from += LINES_A_REQUEST) {
    const resourceLogs = SERVICES.map((service, place) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
      scopeLogs: [
        {
          logRecords: Array.from({ length: LINES_A_REQUEST / SERVICES.length }, (_, index) =>
            recordOf(from + index * SERVICES.length + place, start),
          ),
        },
      ],
    }))
    await postJson(`${url}/v1/logs`, { resourceLogs })
  }
  await waitFor("the lines in the store", async () => (await countStored(url)) === LINES, PATIENCE_MS)
}

function recordOf(index: number, start: bigint) {
  const text = `GET /shop/item-${index} answered ${index % 50 === 0 ? 500 : 200} in ${index % 97} ms`
  const structured = { kvlistValue: { values: [{ key: "message", value: { stringValue: text } }] } }
  return {
    timeUnixNano: String(start + BigInt(index) * 500_000n),
    severityNumber: index % 50 === 0 ? 17 : 9,
    body: index % 10 === 0 ? structured : { stringValue: text },
    attributes: [
      { key: "http.route", value: { stringValue: `/shop/${index % 30}` } },
      { key: "request.id", value: { stringValue: `request-${index}` } },
    ],
  }
}

async function countStored(url: string): Promise<number> {
  const response = await fetch(`${url}/api/logs/figures`)
  return response.ok ? ((await response.json()) as { logs: number }).logs : -1
}
