import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { hexId } from "../samples/hex-id.ts"
import { ScreenSession } from "../session/screen-session.ts"

/** What charts draw on their canvas, recorded as it is drawn. */
const session = ScreenSession.ofFile()

interface Drawn {
  /** Title of the chart. */
  readonly chart: string
  readonly text: string
  readonly y: number
  readonly left: number
  readonly right: number
  readonly width: number
}

beforeAll(async () => {
  await session.sendSamples()
  await session.page.addInitScript(() => {
    const drawn: Drawn[] = []
    const arcs = { count: 0 }
    Object.assign(globalThis, { drawn, arcs })
    const { arc } = Path2D.prototype
    Path2D.prototype.arc = function (...shape) {
      arcs.count++
      arc.apply(this, shape)
    }
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
      const length = this.measureText(text).width
      const left = this.textAlign === "center" ? x - length / 2 : this.textAlign === "right" ? x - length : x
      const chart = this.canvas.closest("figure")?.getAttribute("aria-label") ?? ""
      drawn.push({ chart, text, y, left, right: left + length, width: this.canvas.width })
      fillText.call(this, text, x, y, ...more)
    }
  })
})

const drawn = () => session.page.evaluate(() => (globalThis as unknown as { drawn: Drawn[] }).drawn)
const times = (all: readonly Drawn[]) => all.filter(({ text }) => /^\d\d:\d\d/.test(text))

async function open(path: string): Promise<readonly Drawn[]> {
  await session.open(path)
  await waitFor("the axes", async () => times(await drawn()).length > 1)
  return drawn()
}

describe("the axes of a chart", () => {
  test.each(["/traces", "/logs", "/"])("on %s have a value besides zero", async (path) => {
    const all = await open(path)
    expect(all.filter(({ text }) => /^[1-9][\d.,]*k?$/.test(text))).not.toEqual([])
  })

  test("of a few seconds have no two equal labels, and cut none of them", async () => {
    const { traces } = (await (await fetch(`${session.app.url}/api/traces?limit=1`)).json()) as {
      traces: readonly { startTimeUnixNano: string }[]
    }
    const end = Number(BigInt(traces[0]!.startTimeUnixNano) / 1_000_000_000n) + 1
    const at = (seconds: number) => new Date(seconds * 1_000).toISOString()
    const labels = times(await open(`/traces?since=${at(end - 6)}&until=${at(end)}`))
    const places = new Map(labels.map(({ text, left }) => [`${text} at ${left}`, text]))
    expect(new Set(places.values()).size).toBe(places.size)
    expect(labels.filter(({ left, right, width }) => left < 0 || right > width)).toEqual([])
  })
})

test("the labels of thresholds that are close to each other do not overlap", async () => {
  const end = BigInt(Date.now() - 60_000) * 1_000_000n
  const attribute = (key: string, value: object) => ({ key, value })
  const span = {
    traceId: hexId("shifts", 32),
    spanId: hexId("shifts", 16),
    name: "/shifts",
    startTimeUnixNano: String(end - 9_000_000n),
    endTimeUnixNano: String(end),
    attributes: [
      attribute("sentry.op", { stringValue: "pageload" }),
      attribute("http.route", { stringValue: "/shifts" }),
      attribute("browser.web_vital.cls.value", { doubleValue: 0.9 }),
    ],
  }
  await post({ name: "shifts", span })
  await waitFor("the route", async () =>
    (await fetch(`${session.app.url}/api/routes`)).text().then((text) => text.includes("/shifts")),
  )
  const labels = (await open("/routes/shifts")).filter(
    ({ chart, text }) => chart.startsWith("Cumulative") && /^(Good|Poor)/.test(text),
  )
  const [good, poor] = ["Good ≤ 0.1", "Poor > 0.25"].map((text) => labels.find((label) => label.text === text))
  const LINE_HEIGHT_PX = 11
  expect(Math.abs(good!.y - poor!.y) >= LINE_HEIGHT_PX || good!.right < poor!.left || poor!.right < good!.left).toBe(
    true,
  )
})

async function post({ name, span }: { readonly name: string; readonly span: object }): Promise<void> {
  const resource = { attributes: [{ key: "service.name", value: { stringValue: name } }] }
  const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })
  const headers = { "content-type": "application/json" }
  await fetch(`${session.app.url}/v1/traces`, { method: "POST", headers, body })
}

test("a line chart has a point for a value that has no neighbours", async () => {
  const end = BigInt(Date.now() - 60_000) * 1_000_000n
  const times = { startTimeUnixNano: String(end - 9_000_000n), endTimeUnixNano: String(end) }
  const span = { traceId: hexId("alone", 32), spanId: hexId("alone", 16), name: "GET /alone", kind: 2, ...times }
  await post({ name: "alone", span })
  await waitFor("the span", async () => (await fetch(`${session.app.url}/api/services/alone`)).ok)
  await open("/services/alone?since=6h")
  // Of p50 and of p95.
  expect(await session.page.evaluate(() => (globalThis as unknown as { arcs: { count: number } }).arcs.count)).toBe(2)
})
