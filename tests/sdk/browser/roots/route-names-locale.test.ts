import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest"
import { PLAIN } from "../cases/builds.ts"
import { localeLoads, localeWalks } from "../cases/locale.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { eventsOf, isIdle, rootsOf, shows, storyOf, visit } from "../visit.ts"

describe("an app with root layouts below the top, and a proxy that translates paths", () => {
  let recorded: RecordedApp

  beforeAll(async () => {
    recorded = await startRecordedApp("locale")
  })

  afterAll(() => recorded?.stop())

  test.each(localeLoads)("a hard load of %s is named by its route: %s -> %s", async (_what, path, name) => {
    const { app, browser, sentry } = recorded
    const page = await visit(browser, `${app.origin}${path}`)
    await isIdle(page)
    expect(storyOf(await rootsOf(page, sentry, 1))).toEqual([`pageload ${name}`])
  })

  test("requests of the router are named by the page that a rewrite serves, and so is a server action of that page", async () => {
    const { app, browser, sentry } = recorded
    const page = await visit(browser, `${app.origin}/de/news/1`)
    onTestFailed(() => console.info(eventsOf(page), app.output()))
    await isIdle(page)
    await page.getByRole("link", { name: "pfadnamen" }).click()
    await shows(page, "pathnames de")
    const answered = page.waitForResponse((response) => response.request().headers()["next-action"] !== undefined)
    await page.getByRole("button", { name: "save" }).click()
    await answered
    const roots = await rootsOf(page, sentry, 2)
    const requests = roots
      .flatMap(({ spans }) => spans)
      .filter(({ description }) => /^(?:RSC|ACTION) /.test(description))
    expect(requests.map(({ description, data }) => [description, data["url.template"]])).toEqual([
      ["RSC /[locale]/pathnames", "/[locale]/pathnames"],
      ["ACTION /[locale]/pathnames", "/[locale]/pathnames"],
    ])
  })

  test.each(localeWalks)("$what, from $from", async ({ from, walk, story }) => {
    const { app, browser, sentry } = recorded
    const page = await visit(browser, `${app.origin}${from}`)
    onTestFailed(() => console.info(eventsOf(page), app.output()))
    await walk(page, PLAIN)
    const roots = await rootsOf(page, sentry, story.length)
    expect(storyOf(roots)).toEqual(story)
    // No transition waited for an observer that is not there.
    const transitions = roots.flatMap(({ spans }) => spans).filter(({ op }) => op === "ui.transition")
    expect(transitions.map(({ data }) => data["pagespan.end_reason"])).toEqual(transitions.map(() => undefined))
  })
})
