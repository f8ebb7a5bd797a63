import { afterAll, beforeAll, expect, test } from "vitest"
import { ListApp, spanIdOf, traceIdOf } from "../session/list-app.ts"

/** A list of traces, in Chromium, and errors that pages report in them without a span that fails. */
let list: ListApp
beforeAll(async () => {
  list = await ListApp.start()
})
afterAll(() => list.stop())

async function report(trace: number, span: number, value: string): Promise<void> {
  const event = {
    exception: { values: [{ type: "TypeError", value }] },
    contexts: { trace: { trace_id: traceIdOf(trace), span_id: spanIdOf(span) } },
  }
  const body = [{}, { type: "event" }, event].map((part) => JSON.stringify(part)).join("\n")
  await fetch(`${list.app.url}/api/1/envelope/`, { method: "POST", body })
}

const errorsOf = (name: string) => {
  const row = list.page.locator("main tbody tr").filter({ hasText: name })
  const cell = row.getByRole("cell").nth(3)
  const text = async () => (await cell.innerText()).replaceAll(/\s+/g, " ").trim()
  return { text, title: () => cell.getAttribute("title") }
}

test("an error that is reported in a trace is in the row of the trace, once it is stored, and beside failed spans in its title", async () => {
  await list.send(
    { trace: 1, id: 1, name: "/cart", service: "shop" },
    { trace: 2, id: 2, name: "/pay", service: "shop", failed: true },
  )
  await list.open("/traces")
  await list.shows(["/pay", "/cart"])
  const [cart, pay] = [errorsOf("/cart"), errorsOf("/pay")]
  expect([await cart.text(), await cart.title()]).toEqual(["0", null])
  expect([await pay.text(), await pay.title()]).toEqual(["1", "1 failed span"])
  await report(1, 1, "first")
  await report(1, 1, "second")
  await report(2, 2, "third")
  await expect.poll(cart.title).toBe("2 reported errors")
  expect(await cart.text()).toBe("2 reported")
  await expect.poll(pay.title).toBe("1 failed span, 1 reported error")
  expect(await pay.text()).toBe("1")
})

test("the header of a trace has its reported errors, and the web vitals of several page loads beside the name of each", async () => {
  const load = (id: number, name: string) => {
    const page = { trace: 3, id, parent: 30, name, service: "shop-browser", attributes: { "sentry.op": "pageload" } }
    const vital = { ...page, id: id + 10, parent: id, name: "browser.web_vital.ttfb" }
    return [page, { ...vital, attributes: { "browser.web_vital.ttfb.value": "12" } }]
  }
  await list.send({ trace: 3, id: 30, name: "a test", service: "tests" }, ...load(31, "/cart"), ...load(32, "/pay"))
  await report(3, 31, "fourth")
  await expect.poll(async () => (await fetch(`${list.app.url}/api/errors?q=fourth`)).text()).toContain("fourth")
  await list.open(`/traces/${traceIdOf(3)}`)
  const facts = list.page.getByRole("list", { name: "About this trace" })
  await facts.getByText("1 reported error").waitFor()
  const vitals = list.page.getByRole("list", { name: "Web vitals" }).locator(":scope > li")
  const texts = (await vitals.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "))
  expect(texts.map((text) => text.split(" ").slice(0, 2))).toEqual([
    ["/cart", "TTFB"],
    ["/pay", "TTFB"],
  ])
})
