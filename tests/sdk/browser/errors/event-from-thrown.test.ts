import { defaultStackParser, eventFromException } from "@sentry/browser"
import { expect, test } from "vitest"
import { eventFromThrown } from "#otel/sdk/browser/errors/event-from-thrown.ts"

class Shop {
  id = 7
}

const framesToPop = Object.assign(new Error("popped"), { framesToPop: 1 })
const event = (text: string, fields: object) =>
  Object.defineProperties(Object.assign(new Event("error"), fields), { [Symbol.toStringTag]: { value: text } })

/** What a page can throw, and reject with. */
const thrown: readonly (readonly [string, unknown])[] = [
  ["an error", new TypeError("boom")],
  ["an error without a message", new Error("")],
  ["an error without a stack", Object.assign(new Error("flat"), { stack: undefined })],
  ["an error whose frames are popped", framesToPop],
  ["React's minified error", new Error("Minified React error #418; visit https://react.dev/errors/418")],
  [
    "an error of another window",
    Object.defineProperty({ name: "Error", message: "far" }, Symbol.toStringTag, { value: "Error" }),
  ],
  ["an error with a cause", new Error("outer", { cause: new Error("inner") })],
  ["an exception of the DOM", new DOMException("aborted", "AbortError")],
  ["an aggregate", new AggregateError([new Error("a")], "many")],
  ["a text", "just text"],
  ["an empty text", ""],
  ["a number", 42],
  ["nothing", undefined],
  ["null", null],
  ["a symbol", Symbol("sign")],
  ["an array", [1, "two"]],
  ["a function", Shop],
  ["an object", { code: 1, reason: "none" }],
  ["an empty object", {}],
  ["a deep object", { a: { b: { c: { d: { e: 1 } } } } }],
  ["an instance", new Shop()],
  ["an object with an error", { status: 500, error: new RangeError("inside") }],
  ["an event", new Event("close")],
  ["a custom event", new CustomEvent("changed", { detail: { step: 1 } })],
  ["an error event with its error", event("ErrorEvent", { error: new Error("carried") })],
  ["an error event without one", event("ErrorEvent", { message: "Script error." })],
]

test.each(thrown)("the event of %s is that of Sentry's SDK", async (_what, value) => {
  expect(eventFromThrown(value)).toEqual(await eventFromException(defaultStackParser, value))
})

test("an object that was thrown is sent without the secrets that it holds", () => {
  const secret = { code: 7, session: { token: "hunter2" } }
  const { extra } = eventFromThrown(secret)
  expect(extra).toEqual({ __serialized__: { code: 7, session: { token: "[Filtered]" } } })
  expect(secret.session.token).toBe("hunter2")
})
