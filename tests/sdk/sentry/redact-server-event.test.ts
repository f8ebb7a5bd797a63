import type { Event } from "@sentry/core"
import { expect, test } from "vitest"
import { redactServerEvent } from "#otel/sdk/sentry/sanitize-payload.ts"

test("what an app logs as an object has no secret in its breadcrumb, as deep as Sentry sends it", () => {
  const logged = { user: "jane", password: "hunter2", session: { token: "hunter2" }, isNew: true, calls: [1, "a"] }
  const event: Event = {
    breadcrumbs: [
      {
        category: "console",
        message: "login [object Object]",
        data: { arguments: ["login", logged], logger: "console" },
      },
      {
        category: "custom",
        data: { from: "https://u:hunter2@shop.example/a?token=hunter2", nested: { url: "/a?b=hunter2" } },
      },
      { category: "plain" },
    ],
  }
  const redacted = redactServerEvent(event)
  expect(JSON.stringify(redacted)).not.toContain("hunter2")
  expect(redacted.breadcrumbs?.[0]).toMatchObject({
    data: { arguments: ["login", { user: "jane", isNew: true, calls: "[Array]" }], logger: "console" },
  })
  expect(redacted.breadcrumbs?.[2]).toEqual({ category: "plain" })
  expect(logged.password).toBe("hunter2")
})

test("objects in circles and objects without an end are cut where Sentry cuts them", () => {
  const circle: Record<string, unknown> = { name: "a" }
  circle["self"] = circle
  const deep = { a: { b: { c: { d: { e: 1 } } } } }
  const { breadcrumbs } = redactServerEvent({ breadcrumbs: [{ data: { circle, deep } }] }, 4)
  expect(breadcrumbs?.[0]?.data).toEqual({
    circle: { name: "a", self: "[Circular ~]" },
    deep: { a: { b: { c: "[Object]" } } },
  })
  // Sentry itself would send all of it.
  const [uncut] = redactServerEvent({ breadcrumbs: [{ data: { a: "kept" } }] }, 0).breadcrumbs ?? []
  expect(uncut?.data).toEqual({ a: "kept" })
})

test("an object that was thrown is redacted, and what the app adds stays", () => {
  const thrown = { code: 7, session: { token: "hunter2" } }
  const { extra } = redactServerEvent({ extra: { __serialized__: thrown, own: { token: "kept" } } })
  expect(extra).toEqual({ __serialized__: { code: 7, session: { token: "[Filtered]" } }, own: { token: "kept" } })
  expect(thrown.session.token).toBe("hunter2")
})

test("the parameters of a message are redacted, as the message is", () => {
  const url = "https://shop.example/reset?token=hunter2"
  const { logentry } = redactServerEvent({ logentry: { message: `reset %s ${url}`, params: [url, 7] } })
  expect(JSON.stringify(logentry)).not.toContain("hunter2")
  expect(logentry?.params).toEqual([expect.stringContaining("https://shop.example/reset"), 7])
})
