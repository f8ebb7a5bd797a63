import { renderToString } from "react-dom/server"
import { expect, it } from "vitest"
import { SpanBar } from "#app/traces/[traceId]/_waterfall/span-bar.tsx"
import { makeSpan } from "#tests/inspector/queries/make-span.ts"
import { tableOf } from "#tests/inspector/queries/make-waterfall.ts"

const MS = 1_000_000
/** A page load of 100 ms in a trace of 100 ms, drawn with room for a web vital that settles at 400 ms. */
const table = tableOf([makeSpan(1, { from: 0n, to: BigInt(100 * MS) })])
const bar = (errorsAt: number[], to = 400 * MS) =>
  renderToString(
    <SpanBar
      table={table}
      row={0}
      fold={undefined}
      window={{ from: 0, to }}
      errorsAt={errorsAt}
      logTicks={undefined}
      path={undefined}
    />,
  )
const labelX = (html: string) => /<text [^>]*\bx="([^"]*)"[^>]*\bdx="([^"]*)"/.exec(html)?.slice(1)
const diamonds = (html: string) => [...html.matchAll(/<svg x="([^"]*)" y="50%"/g)].map(([, x]) => x)

it("the duration stands beside the bar, and further away where the diamond of an error is at its edge", () => {
  expect(labelX(bar([]))).toEqual(["25%", "6"])
  expect(labelX(bar([50 * MS]))).toEqual(["25%", "6"])
  expect(labelX(bar([100 * MS]))).toEqual(["25%", "12"])
})

it("an error after the end of its span has its diamond at its own time, and none beyond the visible range", () => {
  expect(diamonds(bar([300 * MS]))).toEqual(["75%"])
  expect(diamonds(bar([500 * MS]))).toEqual([])
})

it("a resource from the browser's memory says so where its duration would be 0 ns, which a screen reader reads too", () => {
  const text = (sizes: [string, bigint][]) => {
    const resource = { ...makeSpan(1, { from: 0n, to: 0n }), attributes: new Map(sizes) }
    const html = renderToString(
      <SpanBar
        table={tableOf([resource])}
        row={0}
        fold={undefined}
        window={{ from: -1, to: 1 }}
        errorsAt={undefined}
        logTicks={undefined}
        path={undefined}
      />,
    )
    return html.replaceAll("<!-- -->", "").replaceAll("\u00A0", " ")
  }
  const cached = text([["http.response.size", 0n]])
  expect(cached).toMatch(/<text [^>]*>from cache<\/text>/)
  expect(cached).toContain(">0 ns, from the browser&#x27;s cache, starting at 0 ns<")
  expect(text([["http.response.size", 300n]])).toMatch(/<text [^>]*>0 ns<\/text>/)
})
