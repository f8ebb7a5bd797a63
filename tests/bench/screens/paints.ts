import { type Bench, freshPage, type Line, median, milliseconds } from "./scenario.ts"
import { seedTrace } from "./seed-trace.ts"

/** The largest contentful paint of each screen, on a warm server. */

const LOADS = 5
const SPANS = 300
const SCREENS = ["/", "/traces", "/errors", "/routes", "/dropped", "/connect"]

export async function paints(bench: Bench): Promise<readonly Line[]> {
  const traceId = await seedTrace(bench.app, SPANS)
  const lines: Line[] = []
  for (const path of [...SCREENS, `/traces/${traceId}`]) {
    const { status } = await fetch(bench.app.url + path)
    if (status !== 200) continue
    const loads: number[] = []
    for (let load = 0; load < LOADS; load++) loads.push(await largestPaint(bench, path))
    lines.push({
      screen: path.replace(traceId, "[traceId]"),
      "LCP, median": milliseconds(median(loads)),
      worst: milliseconds(Math.max(...loads)),
    })
  }
  return lines
}

async function largestPaint(bench: Bench, path: string): Promise<number> {
  const page = await freshPage(bench)
  await page.goto(bench.app.url + path, { waitUntil: "load" })
  const at = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let latest = 0
        new PerformanceObserver((list) => {
          for (const { startTime } of list.getEntries()) latest = startTime
        }).observe({ type: "largest-contentful-paint", buffered: true })
        setTimeout(() => resolve(latest), 1_000)
      }),
  )
  await page.context().close()
  return at
}
