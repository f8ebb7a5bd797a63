import { waitFor } from "#tests/support/wait-for.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { hexId } from "../samples/hex-id.ts"
import { ScreenSession } from "../session/screen-session.ts"

/** The lists on windows of common widths: the name in each row can be read, and no list is wider than its window. */
const session = ScreenSession.ofFile()

/** Of a laptop, a split window and a tablet; and each side of the widths at which columns are left out. */
const WIDTHS = [1440, 1421, 1420, 1366, 1361, 1360, 1281, 1280, 1241, 1240, 1231, 1230, 1201, 1200, 1131, 1130] as const
const NARROW = [1081, 1080, 1024, 1011, 1010, 1001, 1000, 900, 821, 820, 768, 721] as const
/** In pixels, of the cell. */
const READABLE = 120

/** By name, as in a row. */
const LONG = ["inventory", "payments-gateway", "playwright", "storefront-web"]
const SHORT = ["api", "db", "web"]

beforeAll(async () => {
  await session.sendSamples()
  await sendTrace("GET /long", LONG)
  await sendTrace("GET /short", SHORT)
})
afterAll(() => session.page.setViewportSize({ width: 1440, height: 900 }))

test.each(["/", "/traces", "/routes", "/errors", "/services"])(
  "the names of the rows of %s can be read at each width",
  async (path) => {
    await session.open(path)
    for (const width of [...WIDTHS, ...NARROW]) {
      await session.page.setViewportSize({ width, height: 900 })
      const shown = await session.page.evaluate(() => ({
        overflow: document.documentElement.scrollWidth - window.innerWidth,
        names: [...document.querySelectorAll("main table")].flatMap((table) => {
          const cell = table.querySelector<HTMLElement>("tbody th[scope=row]")
          return cell === null || cell.closest(".visually-hidden") !== null ? [] : [cell.offsetWidth]
        }),
      }))
      expect([width, shown.names.length > 0]).toEqual([width, true])
      const unreadable = shown.names.filter((each) => each < READABLE)
      expect([width, Math.max(shown.overflow, 0), unreadable]).toEqual([width, 0, []])
    }
  },
)

/** One span of each service. */
async function sendTrace(name: string, services: readonly string[]): Promise<void> {
  const start = BigInt(Date.now()) * 1_000_000n
  const resourceSpans = services.map((service, index) => ({
    resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
    scopeSpans: [
      {
        spans: [
          {
            traceId: hexId(name, 32),
            spanId: hexId(service, 16),
            ...(index > 0 && { parentSpanId: hexId(services[0]!, 16) }),
            name,
            kind: 2,
            startTimeUnixNano: String(start),
            endTimeUnixNano: String(start + 5_000_000n),
          },
        ],
      },
    ],
  }))
  await fetch(`${session.app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans }),
  })
  await waitFor("the trace in the store", async () => {
    const response = await fetch(`${session.app.url}/api/traces?q=${encodeURIComponent(`name:"${name}"`)}`)
    const { traces } = (await response.json()) as { traces: { spanCount: number }[] }
    return traces[0]?.spanCount === services.length
  })
}

/** What the row of a trace shows of its services: the whole names, those that are cut, and the number and names of the rest. */
function shownServices(name: string) {
  const row = session.page.getByRole("row").filter({ has: session.page.getByRole("link", { name, exact: true }) })
  return row.evaluate((element) => {
    const names = [...element.querySelectorAll<HTMLElement>("[data-service]")].filter((each) => each.offsetWidth > 0)
    const right = (each: Element) => each.getBoundingClientRect().right
    const isBeyond = (each: Element, box: Element) => right(each) > right(box) + 0.5
    const isCut = (each: Element) =>
      isBeyond(each.querySelector("bdi") ?? each, each) || isBeyond(each, each.closest("td, th")!)
    const rest = [...element.querySelectorAll<HTMLElement>("[data-more]")].find((each) => each.offsetWidth > 0)
    return {
      whole: names.filter((each) => !isCut(each)).map((each) => each.innerText),
      cut: names.filter(isCut).map((each) => each.innerText),
      rest: rest && { count: rest.dataset["more"], title: rest.title, isCut: isCut(rest) },
    }
  })
}

test.each(["/", "/traces"])(
  "the services of a trace in %s are whole names, as many as fit, and the number of the rest",
  async (path) => {
    await session.open(path)
    for (const width of [1440, 1080, 721, 390]) {
      await session.page.setViewportSize({ width, height: 900 })
      await expect.poll(async () => [width, (await shownServices("GET /long")).cut]).toEqual([width, []])
      const { whole, rest } = await shownServices("GET /long")
      expect(whole).toEqual(LONG.slice(0, whole.length))
      expect(rest).toEqual({
        count: `+${LONG.length - whole.length}`,
        title: LONG.slice(whole.length).join(", "),
        isCut: false,
      })
    }
    await expect.poll(() => shownServices("GET /short")).toEqual({ whole: SHORT, cut: [], rest: undefined })
    await session.page.setViewportSize({ width: 1440, height: 900 })
    await expect.poll(() => shownServices("GET /short")).toEqual({ whole: SHORT, cut: [], rest: undefined })
    await expect.poll(async () => (await shownServices("GET /long")).whole).toEqual(LONG.slice(0, 1))
  },
)
