import { renderToString } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { type ChartData, positionOf } from "#app/_ui/chart/chart-data.ts"
import { axisZone, formatInterval, formatTick, formatTimeTick, formatValue } from "#app/_ui/chart/chart-formats.ts"
import { Chart } from "#app/_ui/chart/chart.tsx"
import { isolatedIndexes } from "#app/_ui/chart/plot-options.ts"
import { Sparkline } from "#app/_ui/chart/sparkline.tsx"
import { tracesOverTime } from "#app/traces/_overview/histogram-data.ts"
import { stacked } from "#app/_ui/chart/stacked.ts"

const NOON = Date.UTC(2026, 0, 31, 12)
const plain = (text: string) => text.replaceAll("\u00A0", " ")
const html = (node: React.ReactNode) => plain(renderToString(node).replaceAll("<!-- -->", ""))

const requests: ChartData = {
  title: "Requests",
  kind: "bars",
  unit: "count",
  x: { kind: "time", from: NOON, step: 300_000, count: 3 },
  series: [
    { label: "fine", colour: "--accent", values: [1, 2_000, null] },
    { label: "failed", colour: "--error", values: [0, 3, null] },
  ],
  marks: [{ axis: "y", at: 5, label: "limit 5", colour: "--warning" }],
}

describe("a chart", () => {
  it("renders its data as a table and leaves out intervals without values", () => {
    const text = html(<Chart data={requests} />)
    expect(text).toContain("<caption>Requests</caption>")
    expect(text).toContain('<th scope="row">2026-01-31 12:05 to 12:10 UTC</th><td>2,000</td><td>3</td>')
    expect(text).not.toContain("12:15")
    expect(text).toContain("limit 5")
  })

  it("is focusable only when it can be brushed", () => {
    expect(html(<Chart data={requests} onBrush={() => {}} />)).toContain('tabindex="0"')
    expect(html(<Chart data={requests} />)).not.toContain("tabindex")
  })

  it("has no style attribute in its HTML, which the content security policy would block", () => {
    expect(html(<Chart data={requests} />)).not.toContain("style=")
    expect(html(<Sparkline values={[0, 4, 2]} label="6 today" />)).not.toContain("style=")
  })
})

describe("bars", () => {
  it("of traces over time have the failed ones at the bottom, and those of other steps empty", () => {
    const bars = [
      { index: 0, traces: 5, failed: 2 },
      { index: 2, traces: 1, failed: 0 },
    ]
    const { series, x } = tracesOverTime(bars as Parameters<typeof tracesOverTime>[0], NOON, 60_000, 3)
    expect(x).toEqual({ kind: "time", from: NOON, step: 60_000, count: 3 })
    expect(series.map(({ label, values }) => [label, values])).toEqual([
      ["Failed", [2, 0, 0]],
      ["OK", [3, 0, 1]],
    ])
  })

  it("are stacked; an interval unknown to all series is not drawn", () => {
    expect(
      stacked([
        [1, 2, null, null],
        [10, null, 30, null],
      ]),
    ).toEqual([
      [1, 2, null, null],
      [11, 2, 30, null],
    ])
  })
})

describe("lines", () => {
  it.each([
    [
      [null, 3, null, null, 0],
      [1, 4],
    ],
    [[2, 3, null, 4, 5], []],
    [[7], [0]],
    [[null, null], []],
  ])("of %j have a point at %j, where no line goes", (values, isolated) => {
    expect(isolatedIndexes(values)).toEqual(isolated)
  })
})

describe("an axis of ranges", () => {
  const x = { kind: "ranges", edges: [0, 100, 200, 400], unit: "milliseconds" } as const

  it.each([
    [-1, 0],
    [0, 0],
    [50, 0.5],
    [100, 1],
    [300, 2.5],
    [400, 3],
    [9_999, 3],
  ])("finds %d at %d, each range as wide as the others", (value, position) => {
    expect(positionOf(x, value)).toBe(position)
  })

  it("labels a range by its ends", () => {
    expect(plain(formatInterval(x, 2))).toBe("200 ms to 400 ms")
  })
})

describe("an axis of time", () => {
  it.each([
    [60_000, "2026-01-31 12:00 to 12:01 UTC"],
    [1_000, "2026-01-31 12:00:00 to 12:00:01 UTC"],
    [43_200_000, "2026-01-31 12:00 to 2026-02-01 00:00 UTC"],
  ])("names an interval of %d ms", (step, words) => {
    expect(formatInterval({ kind: "time", from: NOON, step, count: 1 }, 0)).toBe(words)
  })

  it("labels midnight with the date and other ticks with the time", () => {
    expect(formatTimeTick(NOON, 3_600_000)).toBe("12:00")
    expect(formatTimeTick(NOON, 3_600_000, "Europe/Berlin")).toBe("13:00")
    expect(formatTimeTick(NOON + 39_600_000, 3_600_000, "Europe/Berlin")).toBe("02-01")
    expect(axisZone({ kind: "time", from: NOON, step: 1_000, count: 1 }, "Europe/Berlin")).toBe("UTC+1")
    expect(formatTimeTick(NOON + 5_000, 5_000)).toBe("12:00:05")
    expect(formatTimeTick(NOON + 5_500, 500)).toBe("12:00:05.5")
    expect(formatTimeTick(NOON + 6_000, 500)).toBe("12:00:06")
    expect(formatTimeTick(NOON + 43_200_000, 3_600_000)).toBe("02-01")
  })
})

describe("a value", () => {
  it.each([
    [1_500_000, "nanoseconds", "1.50 ms"],
    [2_500, "milliseconds", "2.50 s"],
    [0.0421, "share", "4.21 %"],
    [0.1, "score", "0.1"],
    [12_345, "count", "12,345"],
    [null, "count", "–"],
  ] as const)("of %d %s reads %s", (value, unit, text) => {
    expect(plain(formatValue(value, unit))).toBe(text)
  })

  it("on a tick has only the digits that it needs", () => {
    expect(plain(formatTick(2_000, "milliseconds"))).toBe("2 s")
    expect(formatTick(230_000, "count")).toBe("230k")
  })
})

describe("a sparkline", () => {
  it("shows every value above zero, however small", () => {
    expect(html(<Sparkline values={[1_000_000, 1]} label="two" />)).toMatch(/v-1\.5h/)
    expect(html(<Sparkline values={[0, 0]} label="none" />)).toContain('<path d=""')
  })
})
