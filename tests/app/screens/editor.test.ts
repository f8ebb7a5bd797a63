import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, test } from "vitest"
import { isSourceFile } from "#app/errors/[issueId]/_exception/frame-item.tsx"
import { sourcePlace } from "#app/traces/[traceId]/_span/source-place.ts"
import type { AttributeRow } from "#otel/inspector/queries/trace/span-detail.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { openScreen } from "./session/open-screen.ts"

const TRACE = "5b8efff798038103d269b633813fc7aa"
const SPAN_ID = "00f067aa0ba902b7"
const directory = mkdtempSync(join(tmpdir(), "pagespan-editor-"))
const opened = join(directory, "opened.txt")
let app: RunningApp
let browser: Browser
let page: Page

beforeAll(async () => {
  mkdirSync(join(directory, "app"))
  writeFileSync(join(directory, "app/cart.ts"), "export const cart = []\n")
  const editor = join(directory, "editor.mjs")
  writeFileSync(
    editor,
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(opened)}, process.argv[2])`,
  )
  app = await RunningApp.start({
    PAGESPAN_SOURCE_ROOT: directory,
    PAGESPAN_EDITOR: `node ${editor} {file}:{line}:{column}`,
  })
  await fetch(`${app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span()] }] }] }),
  })
  await waitFor("the span", async () => (await fetch(`${app.url}/api/traces/${TRACE}`)).ok)
  browser = await launchChromium()
  page = await browser.newPage()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  rmSync(directory, { recursive: true })
})

function span() {
  const start = BigInt(Date.now() - 60_000) * 1_000_000n
  return {
    traceId: TRACE,
    spanId: SPAN_ID,
    name: "priceCart",
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: [
      { key: "code.file.path", value: { stringValue: "app/cart.ts" } },
      { key: "code.line.number", value: { intValue: "12" } },
    ],
  }
}

test("the source file that a span names opens in the editor, at its line", async () => {
  await openScreen(page, `${app.url}/traces/${TRACE}?span=${SPAN_ID}`)
  await page.getByRole("button", { name: "Open app/cart.ts:12 in the editor" }).click()
  await waitFor(
    "the editor",
    async () => existsSync(opened) && readFileSync(opened, "utf8").endsWith("app/cart.ts:12:1"),
  )
})

test("a file that is not there is said to be missing", async () => {
  rmSync(join(directory, "app/cart.ts"))
  await page.getByRole("button", { name: "Open app/cart.ts:12 in the editor" }).click()
  await page.getByText("No such source file in PAGESPAN_SOURCE_ROOT.").waitFor()
})

test("frames of modules of Node.js have no file to open", () => {
  expect(["app/cart.ts", "node:internal/deps/undici/undici", ""].map(isSourceFile)).toEqual([true, false, false])
})

describe("the place in a source file", () => {
  const rows = (...pairs: [string, string][]) =>
    pairs.map(([key, text]): AttributeRow => ({ key, text, type: "text", cutFrom: undefined }))
  const placeIn = (...pairs: [string, string][]) => {
    const all = rows(...pairs)
    return all.map((row) => sourcePlace(row, all))
  }

  it("has the line and the column that the attributes name, by their current or former names", () => {
    expect(placeIn(["code.file.path", "a.ts"], ["code.line.number", "3"], ["code.column.number", "7"])[0]).toBe(
      "a.ts:3:7",
    )
    expect(placeIn(["code.filepath", "a.ts"], ["code.lineno", "3"])[0]).toBe("a.ts:3")
    expect(placeIn(["code.file.path", "a.ts"], ["code.column.number", "7"])[0]).toBe("a.ts")
    expect(placeIn(["code.file.path", "a.ts"], ["code.line.number", "three"])[0]).toBe("a.ts")
  })

  it("belongs to the attribute with the path only", () => {
    expect(placeIn(["code.line.number", "3"], ["code.file.path", ""], ["http.route", "/a.ts"])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
