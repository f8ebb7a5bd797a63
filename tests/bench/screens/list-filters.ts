import { type Bench, freshPage, type Line, median, milliseconds, percentile, type Scenario } from "./scenario.ts"

/** The list over whatever is stored, by filter: as the read API answers it, and until its rows are on the screen. */

const REPETITIONS = 9
const LOADS = 3

const QUESTIONS = [
  "",
  "service:web",
  "status:error",
  "duration>100ms",
  "http.status_code:5xx",
  "route:/shop/section-1/*",
  "{service:checkout http.status_code:5xx}",
  "chrome/117",
  "service:checkout http.status_code>=500 -name:section-1",
  "request.id:none-has-this",
] as const

export const listFilters: Scenario = async (bench) => {
  const lines: Line[] = []
  for (const question of QUESTIONS) {
    const parameters = new URLSearchParams(question === "" ? {} : { q: question })
    const answers = await times(REPETITIONS, async () => {
      const response = await fetch(`${bench.app.url}/api/traces?${parameters}`)
      await response.arrayBuffer()
    })
    const rows = await times(LOADS, () => firstRow(bench, `/traces?${parameters}`))
    lines.push({
      filter: question || "none",
      "list p50": milliseconds(median(answers)),
      "list p95": milliseconds(percentile(answers, 0.95)),
      "first row on screen": milliseconds(median(rows)),
    })
  }
  return lines
}

/** Until a row is there, or the sentence that there is none. */
async function firstRow(bench: Bench, path: string): Promise<void> {
  const page = await freshPage(bench)
  await page.goto(`${bench.app.url}${path}`, { waitUntil: "commit" })
  await page.locator("tbody tr th a, :text('No trace matches')").first().waitFor()
  await page.context().close()
}

async function times(repetitions: number, work: () => Promise<void>): Promise<number[]> {
  const all: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const start = performance.now()
    await work()
    all.push(performance.now() - start)
  }
  return all
}
