import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RunningApp } from "#tests/support/running-app.ts"
import { FIREFOX, WEBKIT } from "#tests/support/browsers/tested-browsers.ts"
import { sendTrace } from "../samples/send-trace.ts"
import { type ListedIssue, listedIssues, sendListedSamples } from "../session/listed-issues.ts"
import { openScreen } from "../session/open-screen.ts"
import { SCREENS } from "../session/screen-table.ts"

describe.each([FIREFOX, WEBKIT])("in $agent", ({ launch }) => {
  let app: RunningApp
  let browser: Browser
  let page: Page
  let issue: ListedIssue | undefined

  beforeAll(async () => {
    app = await RunningApp.start()
    await sendListedSamples(app.url)
    issue = (await listedIssues(app.url))[0]
    browser = await launch()
    page = await (await browser.newContext()).newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  async function open(path: string): Promise<void> {
    await openScreen(page, app.url + path.replace("ISSUE", issue?.issueId ?? ""))
  }

  const isWiderThanWindow = () =>
    page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

  test.each(SCREENS)("%s is shown, no wider than its window", async (_, path) => {
    for (const width of [1_280, 480]) {
      await page.setViewportSize({ width, height: 800 })
      await open(path)
      expect(await isWiderThanWindow()).toBe(false)
    }
  })

  test("keys move through the list and open a trace, whose flame graph is drawn", async () => {
    await page.setViewportSize({ width: 1_280, height: 800 })
    await open("/traces")
    for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key)
    await page.waitForFunction(() => /^\/traces\/[0-9a-f]{32}$/.test(location.pathname))
    await page.getByRole("button", { name: "Flame graph" }).click()
    await page.waitForFunction(() => {
      const canvases = [...document.querySelectorAll("canvas")].filter((canvas) => canvas.checkVisibility())
      const drawn = (canvas: HTMLCanvasElement) =>
        canvas
          .getContext("2d")
          ?.getImageData(0, 0, canvas.width, canvas.height)
          .data.some((value) => value > 0)
      return canvases.some(drawn)
    })
  })

  test("a trace that arrives is listed without a reload", async () => {
    await open("/traces")
    await sendTrace(app.url, "GET /arrived")
    await page.waitForFunction(() => document.body.innerText.includes("GET /arrived"))
  })

  test("no screen has reported an error of its own", async () => {
    const own = (await listedIssues(app.url)).filter(({ services }) => services.includes("pagespan-browser"))
    expect(own.map(({ transaction, title }) => `${transaction}: ${title}`)).toEqual([])
  })
})
