import { describe, expect, test } from "vitest"
import { layoutMap, type MapNode, NODE } from "#app/services/map-layout.ts"
import { serviceAddress, tracesAddress } from "#app/services/service-address.ts"
import { formatRate } from "#app/_ui/format/time.ts"
import { fromSegment } from "#app/_ui/input/segment.ts"
import { parseServiceQuery } from "#otel/inspector/queries/services/service-query.ts"

const figures = { count: 10, failed: 0, p50: 1, p95: 2 }
const servicesOf = (names: readonly string[]) =>
  names.map((service) => ({ service, bars: [], traces: 1, tracesWithMissingParents: 0, ...figures }))
const callsOf = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([caller, callee]) => ({ caller, callee, ...figures }))
const at = (nodes: readonly MapNode[], name: string) => nodes.find(({ service }) => service.service === name)!
/** All coordinates of a path, in pairs. */
const pointsOf = (path: string) =>
  [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))

describe("the map of services", () => {
  test("has callers left of the services that they call, and no service over another", () => {
    const { nodes, edges, width, height } = layoutMap(
      servicesOf(["db", "api", "web", "page", "alone"]),
      callsOf([
        ["page", "web"],
        ["web", "api"],
        ["api", "db"],
        ["web", "db"],
      ]),
    )
    expect(at(nodes, "page").x).toBeLessThan(at(nodes, "web").x)
    expect(at(nodes, "api").x).toBeLessThan(at(nodes, "db").x)
    for (const one of nodes) {
      expect(one.x + NODE.width).toBeLessThanOrEqual(width)
      expect(one.y + NODE.height).toBeLessThanOrEqual(height)
      const over = nodes.filter(
        (other) => other !== one && Math.abs(other.x - one.x) < NODE.width && Math.abs(other.y - one.y) < NODE.height,
      )
      expect(over).toEqual([])
    }
    expect(edges).toHaveLength(4)
  })

  test("passes a call over two columns beside the service between them, not behind it", () => {
    const { nodes, edges } = layoutMap(
      servicesOf(["web", "api", "db"]),
      callsOf([
        ["web", "api"],
        ["api", "db"],
        ["web", "db"],
      ]),
    )
    const api = at(nodes, "api")
    const long = edges.find(({ call }) => call.caller === "web" && call.callee === "db")!
    const beside = pointsOf(long.path).filter(({ x }) => x >= api.x && x <= api.x + NODE.width)
    expect(beside.length).toBeGreaterThan(0)
    for (const { y } of beside) expect(y < api.y || y > api.y + NODE.height).toBe(true)
  })

  test("is drawn for cycles, for calls of services that are not listed, and for 50 services that all call each other", () => {
    const names = Array.from({ length: 50 }, (_, index) => `s${index}`)
    const all = names.flatMap((caller) => names.map((callee) => [caller, callee] as const))
    const { nodes, edges } = layoutMap(servicesOf(names), callsOf([...all, ["elsewhere", "s1"]]))
    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(50)
    expect(edges).toHaveLength(200)
    for (const { path } of edges) expect(path).not.toMatch(/NaN|undefined/)
    const cycle = layoutMap(
      servicesOf(["a", "b"]),
      callsOf([
        ["a", "b"],
        ["b", "a"],
      ]),
    )
    expect(cycle.edges).toHaveLength(2)
  })
})

test.each(["shop", "a/b", "..", "", "~x", "50 %", "日本語"])(
  "the address of the service %j leads back to it",
  (name) => {
    const { pathname } = new URL(serviceAddress(name), "http://localhost")
    expect(pathname).toBe(serviceAddress(name))
    expect(fromSegment(pathname.split("/")[2] ?? "")).toBe(name)
  },
)

test("links to traces carry the filter and the window: an age as it is, two moments where the window has an end", () => {
  const now = Date.parse("2026-01-31T12:00:00Z")
  const addressOf = (query: string) => {
    const { filter, range } = parseServiceQuery(new URLSearchParams(query), now)
    return Object.fromEntries(new URLSearchParams(tracesAddress("shop", filter, range, "GET /").split("?")[1]))
  }
  expect(addressOf("")).toEqual({ q: '{service:shop name="GET /"}', since: "24h" })
  expect(addressOf("since=1h&q=a OR b")).toEqual({ q: '(a OR b) {service:shop name="GET /"}', since: "1h" })
  expect(addressOf("since=2h&until=1h")).toMatchObject({
    since: "2026-01-31T10:00:00.000Z",
    until: "2026-01-31T11:00:00.000Z",
  })
})

test.each([
  [120, 1_000, "120/s"],
  [90, 60_000, "1.5/s"],
  [12, 3_600_000, "12/h"],
  [1, 172_800_000, "0.5/d"],
  [0, 1_000, "0/d"],
  [7_200, 3_600_000, "2/s"],
])("the rate of %i in %i ms is %s", (count, lengthMs, text) => {
  expect(formatRate(count, lengthMs)).toBe(text)
})

test("the rates of a list have the unit of the largest", () => {
  const rates = [3_600, 90, 7, 0].map((count) => formatRate(count, 3_600_000, 3_600))
  expect(rates).toEqual(["1/s", "0.025/s", "<0.01/s", "0/s"])
})
