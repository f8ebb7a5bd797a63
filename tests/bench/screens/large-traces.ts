import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { sleep } from "#tests/support/wait-for.ts"
import { percentile } from "../percentile.ts"
import { type Bench, freshPage, type Line, median, milliseconds } from "./scenario.ts"
import { scrollByScript, scrollByWheel } from "./scrolling.ts"
import { seedTrace } from "./seed-trace.ts"

/** Load and interaction times of one large trace. */

const LOADS = 3
const ACTS = 20
/** Long enough for a busy machine, so that a slow result is reported instead of a timeout. */
const PATIENCE_MS = 120_000
/** Longer than the server caches the data of a page. */
const FORGOTTEN_MS = 21_000

export async function largeTraces(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = []
  for (const spans of bench.spans) {
    const traceId = await seedTrace(bench.app, spans)
    await sleep(FORGOTTEN_MS)
    lines.push(await measure(bench, traceId, spans))
  }
  return lines
}

async function measure(bench: Bench, traceId: string, spans: number): Promise<Line> {
  const firsts: number[] = []
  const wholes: number[] = []
  for (let load = 0; load < LOADS; load++) {
    const page = await freshPage(bench)
    await open(page, `${bench.app.url}/traces/${traceId}`)
    firsts.push(await page.evaluate(() => (window as unknown as Watched).firstRowAt))
    wholes.push(await wholeAt(page, spans))
    if (load < LOADS - 1) await page.context().close()
    else {
      const line = await act(page, spans)
      await page.context().close()
      return {
        what: `${spans.toLocaleString("en-US")} spans`,
        "first row": milliseconds(median(firsts)),
        "all rows": milliseconds(median(wholes)),
        ...line,
      }
    }
  }
  throw new Error("no load was measured")
}

/** Of more rows the scroller has less than their height, since browsers limit that of an element. */
const LEAST_HEIGHT_PX = 10_000_000

interface Watched {
  firstRowAt: number
  mostRows: number
}

/** Records in the page when the first span is painted, relative to the start of the navigation. */
async function open(page: Page, url: string): Promise<void> {
  await page.addInitScript(() => {
    const watched = window as unknown as Watched
    watched.mostRows = 0
    const look = () => {
      const rows = document.querySelectorAll('[role="row"]').length
      watched.mostRows = Math.max(watched.mostRows, rows)
      if (rows > 1 && watched.firstRowAt === undefined)
        requestAnimationFrame(() => (watched.firstRowAt = performance.now()))
      requestAnimationFrame(look)
    }
    look()
  })
  await page.goto(url, { waitUntil: "commit", timeout: PATIENCE_MS })
  await page.waitForFunction(() => (window as unknown as Watched).firstRowAt !== undefined, undefined, {
    timeout: PATIENCE_MS,
  })
}

/** Resolves when the scroller has the height of all rows. */
async function wholeAt(page: Page, spans: number): Promise<number> {
  const handle = await page.waitForFunction(
    (least) => (document.querySelector('[role="treegrid"]')?.scrollHeight ?? 0) >= least && performance.now(),
    Math.min(spans * 26, LEAST_HEIGHT_PX),
    { polling: "raf", timeout: PATIENCE_MS },
  )
  return (await handle.jsonValue()) as number
}

async function act(page: Page, spans: number): Promise<Line> {
  await page.waitForTimeout(1_000)
  const wheel = await scrollByWheel(page, page.getByRole("treegrid"))
  const frames = await scrollByScript(page.getByRole("treegrid"))
  const details: number[] = []
  const select = await times(page, async (each, turn) => {
    const { shownMs, detailsMs } = await selectSpan(each, turn)
    details.push(detailsMs)
    return shownMs
  })
  const keys = await times(page, pressKey)
  const collapse = await times(page, collapseRow)
  const search = await times(page, searchText)
  const mostRows = await page.evaluate(() => (window as unknown as Watched).mostRows)
  const shown = (values: readonly number[]) => milliseconds(percentile(values, 0.95))
  return {
    "wheel fps": wheel.fps.toFixed(0),
    "scroll fps": frames.fps.toFixed(0),
    "longest frame": milliseconds(frames.longest),
    "select p95": shown(select),
    "its attributes p95": shown(details),
    "key p95": shown(keys),
    "collapse p95": shown(collapse),
    "search p95": shown(search),
    "rows in DOM": mostRows,
    "tab memory": `${(await tabMemory(page)).toFixed(0)} MB`,
    spans,
  }
}

async function times(page: Page, one: (page: Page, turn: number) => Promise<number>): Promise<number[]> {
  const all: number[] = []
  for (let turn = 0; turn < ACTS; turn++) {
    all.push(await one(page, turn))
    await page.waitForTimeout(150)
  }
  return all
}

/** Times from the click to the frame that shows the span in the panel, and to the frame that shows its attributes. */
function selectSpan(page: Page, turn: number): Promise<{ shownMs: number; detailsMs: number }> {
  return page.evaluate(
    (place) =>
      new Promise<{ shownMs: number; detailsMs: number }>((resolve) => {
        const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")]
        const link = rows[place % rows.length]?.querySelector<HTMLAnchorElement>("a")
        const id = new URL(link?.href ?? location.href).searchParams.get("span") ?? ""
        const start = performance.now()
        link?.click()
        let shownMs: number | undefined
        const look = () => {
          const panel = document.querySelector('[aria-label="Selected span"]')
          const isShown = panel?.textContent.includes(id) === true
          const isRecorded = isShown && panel?.getAttribute("aria-busy") === "false"
          requestAnimationFrame(() => {
            const now = performance.now() - start
            if (isShown) shownMs ??= now
            if (isRecorded) resolve({ shownMs: shownMs ?? now, detailsMs: now })
            else look()
          })
        }
        look()
      }),
    turn + 3,
  )
}

/** Every key of the tree, those that change every row and every bar included. Each that opens something also closes it. */
const KEYS = "j k End Home PageDown PageUp ArrowLeft ArrowRight z x s 0 c c f f ] [ j ArrowLeft".split(" ")

/** Time from a key to the frame after it. */
async function pressKey(page: Page, turn: number): Promise<number> {
  await page.evaluate(() => {
    addEventListener(
      "keydown",
      () => {
        const start = performance.now()
        // The frame that shows what the key did, and the one after it, which begins once that is painted.
        requestAnimationFrame(() =>
          requestAnimationFrame(() => ((window as unknown as Pressed).keyMs = performance.now() - start)),
        )
      },
      { capture: true, once: true },
    )
    delete (window as unknown as Partial<Pressed>).keyMs
  })
  await page.keyboard.press(KEYS[turn % KEYS.length] ?? "j")
  const handle = await page.waitForFunction(() => (window as unknown as Partial<Pressed>).keyMs)
  return (await handle.jsonValue()) as number
}

interface Pressed {
  keyMs: number
}

/** Memory of the process of the page, in megabytes: all that is in it, not only what scripts hold. */
async function tabMemory(page: Page): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession()
  const { processInfo } = await session.send("SystemInfo.getProcessInfo")
  await session.detach()
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1_000)
  return Math.max(...sizes)
}

/** Time from the click on a caret to the frame with the collapsed or expanded rows. */
function collapseRow(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const row = [...document.querySelectorAll<HTMLElement>("[data-row][aria-expanded]")][0]
        const before = row?.getAttribute("aria-expanded")
        const start = performance.now()
        row?.querySelector<HTMLElement>("[data-toggle]")?.click()
        const look = () => {
          if (row?.getAttribute("aria-expanded") === before) requestAnimationFrame(look)
          else requestAnimationFrame(() => resolve(performance.now() - start))
        }
        look()
      }),
  )
}

/** Time from the last key to the frame that shows the number of matches. */
function searchText(page: Page, turn: number): Promise<number> {
  return page.evaluate(
    (text) =>
      new Promise<number>((resolve) => {
        const input = document.querySelector<HTMLInputElement>('[aria-label="Search in this trace"]')
        const output = input?.parentElement?.querySelector("output")
        const before = output?.textContent
        const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set
        const start = performance.now()
        setter?.call(input, text)
        input?.dispatchEvent(new Event("input", { bubbles: true }))
        const look = () => {
          const now = output?.textContent
          if (now === before || !now?.includes("found")) requestAnimationFrame(look)
          else requestAnimationFrame(() => resolve(performance.now() - start))
        }
        look()
      }),
    // The number of matches differs each time: 10 names contain `operation 1x`, one contains `operation 1xx`.
    turn % 2 === 0 ? `operation ${10 + turn} of` : `ation ${turn}`,
  )
}
