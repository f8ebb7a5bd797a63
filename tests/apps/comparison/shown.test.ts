import { expect, onTestFinished, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { shown } from "./shown.ts"

test("server actions are the same under other ids, and differ in another order", async () => {
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const forms = (...actions: readonly string[]) =>
    page.evaluate(shown, actions.map((id) => `<form><input name="$ACTION_ID_${id.repeat(42)}"></form>`).join(""))
  const first = await forms("a", "b", "a")
  expect(await forms("c", "d", "c")).toBe(first)
  expect(await forms("a", "b", "b")).not.toBe(first)
})
