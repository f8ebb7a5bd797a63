import { readFile } from "node:fs/promises"
import { beforeAll, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { hexId } from "./samples/hex-id.ts"
import { ScreenSession } from "./session/screen-session.ts"

/** Envelope items other than errors, spans and logs, on the screens. */
const session = ScreenSession.ofFile()
beforeAll(() => session.sendSamples())

test("an error shows the raw event, user feedback, and attachments as downloads that are never rendered", async () => {
  await session.open("/errors/ISSUE")
  const { page } = session
  const part = page.getByRole("region", { name: "Feedback and attachments" })
  expect((await part.innerText()).replace(/\s+/g, " ")).toContain(
    "User feedback message Nothing happened contact jo@shop.test",
  )
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    part.getByRole("link", { name: /^Download cart.json ?, 11 B$/ }).click(),
  ])
  expect(download.suggestedFilename()).toBe("cart.json")
  expect(await readFile(await download.path(), "utf8")).toBe('{"items":3}')
  const answer = await fetch(download.url())
  expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*sandbox$/)
  expect(answer.headers.get("content-disposition")).toMatch(/^attachment; /)
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
  const event = page.getByRole("region", { name: "Sentry event" })
  await event.getByText("Raw JSON").click()
  await waitFor("the event", async () => (await event.locator("pre").count()) === 1)
  const stored = JSON.parse((await event.locator("pre").textContent()) ?? "") as { readonly event_id: string }
  expect(stored).toMatchObject({ event_id: hexId("error 3", 32), tags: { plan: "pro" }, user: { id: "u0" } })
})

test("the overview shows an envelope item live, even when nothing else arrives", async () => {
  await session.open("/")
  const part = session.page.getByRole("region", { name: /^Envelope items/ })
  await part.getByText("quantum_report").first().waitFor()
  await fetch(`${session.app.url}/api/1/envelope/`, { method: "POST", body: '{}\n{"type":"just_now"}\n{}' })
  await part.getByText("just_now").first().waitFor()
})

test("the overview lists items without an event, and filters them by type", async () => {
  await session.open("/")
  const part = session.page.getByRole("region", { name: /^Envelope items/ })
  await part.getByText("quantum_report").first().waitFor()
  await part.getByRole("link", { name: "Check-in 1" }).click()
  await waitFor("the type in the address", () => session.parameters.get("items") === "check_in")
  await waitFor("check-ins alone", async () => (await part.getByRole("listitem").count()) === 1)
  expect((await part.getByRole("listitem").innerText()).replace(/\s+/g, " ")).toContain(
    "Check-in monitor nightly status error duration 12.5 s",
  )
})

test("no page violated the content security policy or logged an error", () => {
  expect(session.complaints).toEqual([])
})
