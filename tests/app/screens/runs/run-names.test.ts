import { afterAll, beforeAll, expect, test } from "vitest"
import { ListApp } from "../session/list-app.ts"

/** Runs whose name the inspector refuses, in Chromium with the real store. */
let list: ListApp

beforeAll(async () => {
  list = await ListApp.start()
  const resource = { "service.instance.id": "pod-1" }
  await list.send({ trace: 1, id: 1, name: "/cart", service: "@shop/web", resource })
})
afterAll(() => list.stop())

test("a refused name of a new run stays in its field, beside the reason", async () => {
  const { page } = list
  await list.open("/runs")
  const name = page.getByRole("textbox", { name: "Name" })
  await name.fill("no <such> name")
  await page.getByRole("button", { name: "Start run" }).click()
  await page.getByRole("alert").getByText("A run's name has 1 to 100 letters").waitFor()
  expect(await name.inputValue()).toBe("no <such> name")
  await name.fill("such-a-name")
  await page.getByRole("button", { name: "Start run" }).click()
  await page.getByRole("rowheader", { name: "such-a-name" }).waitFor()
  expect(await name.inputValue()).toBe("")
})

test("an instance is saved under a valid name, and a refused one stays in its field, beside the reason", async () => {
  const { page } = list
  await list.open("/runs")
  await page.getByRole("row").filter({ hasText: "pod-1" }).getByRole("button", { name: "Save as run" }).click()
  const name = page.getByRole("textbox", { name: "Run name" })
  expect(await name.inputValue()).toBe("shop/web-pod-1")
  await name.fill("-pod")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByRole("status").getByText("A run's name has 1 to 100 letters").waitFor()
  expect(await name.inputValue()).toBe("-pod")
  await name.fill("shop/web-pod-1")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByRole("rowheader", { name: "shop/web-pod-1" }).waitFor()
  await name.waitFor({ state: "detached" })
})

test("no page violated the content security policy or threw an error", () => {
  expect(list.violations).toEqual([])
})
