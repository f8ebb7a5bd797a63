import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { rootsOf, visit } from "../visit.ts"

let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
})

afterAll(() => recorded?.stop())

interface PagespanWindow {
  readonly pagespan: { reportError(error: unknown): void }
}

test("an error that is reported again, as React's strict mode does, is one exception of the root and one event of Sentry", async () => {
  const { app, browser, collector, sentry } = recorded
  const page = await visit(browser, `${app.origin}/items/1`)
  await page.evaluate(() => {
    const { reportError } = (window as unknown as PagespanWindow).pagespan
    const [first, second] = [new Error("reported twice"), new Error("reported once")]
    for (const error of [first, first, second]) reportError(error)
    // The browser reports it to the global handlers, which see it once more.
    window.dispatchEvent(new ErrorEvent("error", { error: first, message: first.message }))
    // Two errors may have one text. Sentry's SDK takes the second for the same.
    for (const text of ["a text", "a text"]) reportError(text)
  })
  await sentry.waitForError("that was reported last", ({ exception }) => exception.values[0].value === "a text")
  const [root] = await rootsOf(page, sentry, 1)
  const { span_id } = root!["contexts"].trace
  const exported = await waitFor("the root", () => pageSpans(collector).find(({ spanId }) => spanId === span_id))
  const events = exported["events"].map((event: object) => attributesOf(event)["exception.message"])
  expect(events).toEqual(["reported twice", "reported once", "a text", "a text"])
  const sent = sentry.errors().map(({ exception }) => exception.values[0].value as string)
  expect(sent.toSorted()).toEqual(["a text", "reported once", "reported twice"])
})
