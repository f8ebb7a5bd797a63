import { describe, expect, it } from "vitest"
import { digestOfEvent, serverCause } from "#otel/inspector/queries/errors/error-cause.ts"
import { errorMarkdown, errorText } from "#otel/inspector/queries/errors/error-text.ts"
import type { ErrorEvent } from "#otel/protocol/records/error.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

function event(eventId: string, over: Partial<ErrorEvent> = {}): ErrorEvent {
  return {
    eventId,
    issueId: "i",
    time: nanoseconds(1n),
    traceId: undefined,
    spanId: undefined,
    level: "error",
    type: "Error",
    value: "boom",
    exceptions: [],
    transaction: "/",
    service: "shop-browser",
    environment: "",
    release: "",
    tags: new Map(),
    breadcrumbs: "",
    request: "",
    context: "",
    fingerprint: [],
    source: "sentry",
    ...over,
  }
}

const server = (digest: string, id = `server ${digest}`) =>
  event(id, {
    service: "shop",
    context: JSON.stringify({ contexts: { runtime: { name: "node" } }, extra: { digest } }),
  })
const echo = "An error occurred in the Server Components render. The specific message is omitted"

describe("an error in the page that a server error caused", () => {
  it.each<[string, Partial<ErrorEvent>]>([
    ["a tag", { tags: new Map([["digest", "271"]]) }],
    ["a context", { context: '{"extra":{"digest":"271"}}' }],
    ["its text", { value: "failed (digest: '271')" }],
    [
      "an exception's text",
      { exceptions: [{ type: "E", value: "digest=271", mechanism: undefined, frames: [], stackText: "" }] },
    ],
  ])("is found by its digest in %s", (_name, over) => {
    expect(digestOfEvent(event("page", over))).toBe("271")
    expect(serverCause(event("page", over), [server("9"), server("271")])).toMatchObject({
      by: "digest",
      event: { eventId: "server 271" },
    })
  })

  it("is joined by their trace when it has no digest", () => {
    expect(serverCause(event("page", { value: echo }), [server("9")])).toMatchObject({ by: "trace" })
  })

  it("has no server cause when it has a message of its own, is alone in its trace, or is the server's own", () => {
    expect(serverCause(event("page"), [server("9")])).toBeUndefined()
    expect(serverCause(event("page", { value: echo }), [event("page", { value: echo })])).toBeUndefined()
    expect(serverCause(server("271", "a"), [server("271", "b")])).toBeUndefined()
  })
})

it("an event as text has its title, its place and its causes", () => {
  const frame = {
    function: "pay",
    module: "",
    file: "src/pay.ts",
    line: 7,
    column: undefined,
    inApp: true,
    before: [],
    context: "",
    after: [],
  }
  const exceptions = [
    {
      type: "TypeError",
      value: "no",
      mechanism: undefined,
      frames: [{ ...frame, function: "", inApp: false }, frame],
      stackText: "",
    },
    { type: "Error", value: "inner", mechanism: undefined, frames: [], stackText: "as text" },
  ]
  expect(errorText(event("e1", { type: "TypeError", value: "no" }), exceptions, "2026-01-31T12:00:00Z")).toBe(
    `TypeError: no
time: 2026-01-31T12:00:00Z
level: error
service: shop-browser
route: /
event: e1

TypeError: no
    at pay (src/pay.ts:7) [in app]
    at (anonymous) (src/pay.ts:7)

caused by Error: inner
as text`,
  )
})

it("an error as text contains no secret of its message or its stack", () => {
  const secret = "hunter2hunter2"
  const raised = {
    type: "Error",
    value: `GET https://user:${secret}@api.example/v1?key=${secret} failed`,
    mechanism: undefined,
    frames: [],
    stackText: `Authorization: Bearer ${secret}\n    at pay (https://shop.example/pay.js:1:7)`,
  }
  const text = errorText(event("e1", { value: raised.value }), [raised], "2026-01-31T12:00:00Z")
  expect(text).not.toContain(secret)
  expect(text).toContain("GET https://api.example/v1 failed")
  expect(text).toContain("    at pay (https://shop.example/pay.js:1:7)")
})

it("as Markdown an error is code, whatever it contains, without secrets", () => {
  const raised = {
    type: "Error",
    value: "@team <b>`no`</b> token=hunter2secret",
    mechanism: undefined,
    frames: [],
    stackText: "at ``` here",
  }
  const text = errorMarkdown(event("e1", { type: "Error", value: raised.value }), [raised], "2026-01-31T12:00:00Z")
  const [title, , time] = text.split("\n")
  expect(title).toMatch(/^### `` Error: @team <b>`no`<\/b> token=/)
  expect(title?.endsWith(" ``")).toBe(true)
  expect(time).toBe("- time: `2026-01-31T12:00:00Z`")
  expect(text.split("\n").filter((line) => line === "````")).toHaveLength(2)
  expect(text).toContain("at ``` here")
  expect(text).not.toContain("hunter2secret")
})
