import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createParser } from "#otel/cli/parser.ts"
import { type AppUnderTest, buildApp, startApp, type Variant } from "#tests/sdk/browser/app-under-test.ts"
import { waitInPage } from "#tests/sdk/browser/visit.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const BUNDLERS: readonly (readonly [string, Variant | undefined])[] = [
  ["Turbopack", undefined],
  ["webpack", { name: "webpack", buildArguments: ["--webpack"] }],
]

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser?.close())

describe.each(BUNDLERS)("a build by %s, whose source maps the inspector was sent", (_name, variant) => {
  let inspector: RunningApp
  let app: AppUnderTest

  beforeAll(async () => {
    inspector = await RunningApp.start()
    const directory = await buildApp("mapped", variant)
    const folder = variant === undefined ? ".next" : `.next-${variant.name}`
    await createParser([
      "sourcemaps",
      `${directory}/${folder}`,
      "--to",
      "inspector",
      "--url",
      inspector.url,
    ]).parseAsync()
    const { port } = new URL(inspector.url)
    app = await startApp("mapped", { variant, environment: { SENTRY_DSN: `http://key@127.0.0.1:${port}/1` } })
  })

  afterAll(async () => {
    await app?.stop()
    await inspector?.stop()
  })

  /** The text of the inspector's screen of the issue with this title, once it shows sources. */
  async function screenOf(title: string): Promise<string> {
    const issueId = await waitFor(title, () => issueWith(title), 30_000)
    const page = await browser.newPage()
    // The thread that reads maps may take longer than a screen waits for it.
    const text = await waitFor(
      `sources of ${title}`,
      async () => {
        await page.goto(`${inspector.url}/errors/${issueId}`)
        const shown = await page.getByRole("article").innerText()
        return /\.tsx?:\d/.test(shown) ? shown : undefined
      },
      60_000,
    )
    await page.close()
    return text
  }

  async function issueWith(title: string): Promise<string | undefined> {
    const { issues } = (await (await fetch(`${inspector.url}/api/errors`)).json()) as {
      issues: { issueId: string; title: string }[]
    }
    return issues.find((issue) => issue.title === title)?.issueId
  }

  test("an error in a page is shown in its source", async () => {
    const page = await browser.newPage()
    await page.goto(app.origin)
    await waitInPage(page, () => {
      const button = document.querySelector("button")
      return button !== null && Object.keys(button).some((key) => key.startsWith("__reactProps$"))
    })
    await page.getByRole("button").click()
    const shown = await screenOf("TypeError: the card was refused")
    await page.close()
    expect(shown).toContain("app/pay-button.tsx:4")
    expect(shown).toContain('throw new TypeError("the card was refused")')
    expect(shown).toContain("function pay(): void {")
  })

  test("an error on the server is shown in its source", async () => {
    await fetch(`${app.origin}/fail`)
    const shown = await screenOf("RangeError: the stock is negative")
    expect(shown).toContain("app/fail/route.ts:2")
    expect(shown).toContain('throw new RangeError("the stock is negative")')
    expect(shown).toContain("function stockOf(url: string): number {")
  })
})
