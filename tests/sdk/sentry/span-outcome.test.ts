import { type Attributes, SpanStatusCode } from "@opentelemetry/api"
import { describe, expect, test } from "vitest"
import { sanitizeSpan } from "#otel/sdk/sentry/sanitize-span.ts"
import { finishedSpan } from "./finished-span.ts"

const ERROR = SpanStatusCode.ERROR

function failed(status: { code: SpanStatusCode; message?: string }, messages: string[], attributes: Attributes = {}) {
  const events = messages.map((message) => ({
    name: "exception",
    time: [1_000, 0] as [number, number],
    attributes: { "exception.type": "Error", "exception.message": message },
  }))
  const view = sanitizeSpan(finishedSpan({ status, events, attributes: { "error.type": "Error", ...attributes } }))
  return { ...view, messages: view.events.map((event) => event.attributes?.["exception.message"]) }
}

describe("a span that Next's control flow passes through", () => {
  test.each([
    "NEXT_REDIRECT",
    "NEXT_REDIRECT;replace;/login;307;",
    "NEXT_HTTP_ERROR_FALLBACK;401",
    "NEXT_HTTP_ERROR_FALLBACK;403",
    "NEXT_HTTP_ERROR_FALLBACK;404",
  ])("has not failed: %s", (signal) => {
    for (const status of [{ code: ERROR, message: signal }, { code: ERROR }]) {
      const { messages, ...view } = failed(status, [signal], { "http.route": "/cart" })
      expect([view.status, messages, view.attributes]).toEqual([
        { code: SpanStatusCode.UNSET },
        [],
        { "http.route": "/cart" },
      ])
    }
  })

  test.each<[why: string, message: string | undefined, messages: string[], Attributes]>([
    ["a real exception", "NEXT_REDIRECT", ["boom", "NEXT_REDIRECT"], {}],
    ["a message of its own", "out of stock", ["NEXT_REDIRECT"], {}],
    ["an HTTP status", undefined, ["NEXT_REDIRECT"], { "error.type": "500" }],
  ])("keeps its status if it has %s", (_, message, messages, attributes) => {
    const status = { code: ERROR, ...(message === undefined ? {} : { message }) }
    const view = failed(status, messages, attributes)
    expect(view.status).toEqual(status)
    expect(view.attributes).toEqual({ "error.type": "Error", ...attributes })
    expect(view.messages).toEqual(messages.filter((each) => each !== "NEXT_REDIRECT"))
  })

  test("is as it was if only its status speaks of one, as that of a server action does", () => {
    expect(failed({ code: ERROR, message: "not_found" }, []).status).toEqual({ code: ERROR, message: "not_found" })
  })
})

describe("the exceptions of a span", () => {
  const typesOf = (recorded: readonly string[], attributes: Attributes) => {
    const events = recorded.map((type) => ({
      name: "exception",
      time: [1_000, 0] as [number, number],
      attributes: { "exception.type": type, "exception.message": "boom" },
    }))
    const view = sanitizeSpan(finishedSpan({ events, attributes }))
    return view.events.map((event) => event.attributes?.["exception.type"])
  }
  const next = { "next.span_type": "AppRender.getBodyResult" }

  test("of Next's have the name of the class in place of a code", () => {
    expect(typesOf(["P2021", "P2021"], { ...next, "error.type": "PrismaError" })).toEqual([
      "PrismaError",
      "PrismaError",
    ])
  })

  test.each<[why: string, recorded: string[], Attributes]>([
    ["the span is not Next's", ["P2021"], { "error.type": "PrismaError" }],
    ["the type of the span is an HTTP status", ["P2021"], { ...next, "error.type": "500" }],
    [
      "there are several errors, and the type is that of one",
      ["P2021", "TypeError"],
      { ...next, "error.type": "TypeError" },
    ],
    ["the span has no type", ["P2021"], next],
  ])("keep their types if %s", (_, recorded, attributes) => {
    expect(typesOf(recorded, attributes)).toEqual(recorded)
  })
})
