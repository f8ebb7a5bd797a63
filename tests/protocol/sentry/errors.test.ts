import { describe, expect, test } from "vitest"
import { decodeStoreEvent } from "#otel/protocol/sentry/decode-envelope.ts"
import { decode, errorEvent, EVENT_ID, item, RECEIVED, ROOT_ID, TIMES, TRACE_ID } from "./envelopes.ts"

describe("an error event", () => {
  test("keeps its exceptions, the reported one first, with frames as received", () => {
    const { errors, eventId } = decode(item("event", errorEvent({ tags: { a: "b" }, breadcrumbs: [{ message: "x" }] })))
    expect(eventId).toBe(EVENT_ID)
    expect(errors).toMatchObject([
      {
        eventId: EVENT_ID,
        time: 1_795_197_401_500_000_000n,
        traceId: TRACE_ID,
        spanId: ROOT_ID,
        level: "error",
        type: "TypeError",
        value: "boom",
        transaction: "/cart",
        service: "web-1",
        environment: "dev",
        release: "1.2",
        tags: new Map([["a", "b"]]),
        breadcrumbs: '[{"message":"x"}]',
        source: "sentry",
      },
    ])
    const [outer, inner] = errors[0]!.exceptions
    expect(outer).toMatchObject({ type: "TypeError", mechanism: { type: "generic", handled: false } })
    expect(outer!.frames.map(({ function: name, line, inApp }) => [name, line, inApp])).toStrictEqual([
      ["run", 1, false],
      ["pay", 7, true],
    ])
    expect(inner).toMatchObject({ type: "Error", value: "inner", mechanism: undefined, frames: [] })
  })

  test.each([
    ["a list", [{ type: "E", value: "v" }]],
    ["values", { values: [{ type: "E", value: "v" }] }],
    ["a single exception", { type: "E", value: "v" }],
  ])("is read with its exception as %s", (_name, exception) => {
    const bytes = Buffer.from(JSON.stringify({ event_id: EVENT_ID, exception }))
    const decoded = decodeStoreEvent(bytes, TIMES)
    expect(decoded).toMatchObject({ ok: true, eventId: EVENT_ID, errors: [{ type: "E", value: "v", time: RECEIVED }] })
  })

  test.each([
    [{ message: "hello" }],
    [{ message: { formatted: "hello" } }],
    [{ logentry: { formatted: "hello", message: "h %s" } }],
    [{ message: "", logentry: { message: "hello" } }],
  ])("with a message and no exception is an error: %o", (changes) => {
    const { errors } = decode(item("event", errorEvent({ exception: undefined, level: "warning", ...changes })))
    expect(errors).toMatchObject([{ type: "", value: "hello", level: "warning", exceptions: [] }])
  })

  test("keeps at most five exceptions, beginning with the reported one, and counts the others", () => {
    const values = Array.from({ length: 7 }, (_, index) => ({ type: `E${index}`, value: "" }))
    const { errors, drops } = decode(item("event", errorEvent({ exception: { values } })))
    expect(errors[0]!.exceptions.map(({ type }) => type)).toStrictEqual(["E6", "E5", "E4", "E3", "E2"])
    expect(drops).toMatchObject([{ reason: "limit_attributes", category: "default", count: 2 }])
  })

  test("keeps the newest breadcrumbs within their limit, as valid JSON, and counts the others", () => {
    const breadcrumbs = Array.from({ length: 100 }, (_, index) => ({ message: `${index} ${"x".repeat(2_000)}` }))
    const { errors, drops } = decode(item("event", errorEvent({ breadcrumbs: { values: breadcrumbs } })))
    const stored = JSON.parse(errors[0]!.breadcrumbs) as { message: string }[]
    expect(Buffer.byteLength(errors[0]!.breadcrumbs)).toBeLessThanOrEqual(65_536)
    expect(stored.at(-1)!.message).toMatch(/^99 /)
    expect(drops).toMatchObject([{ count: 100 - stored.length }])
  })
})

describe("grouping of errors", () => {
  const issueOf = (changes: object) => decode(item("event", errorEvent(changes))).errors[0]!.issueId
  const withFrame = (frame: object, value = "boom") => ({
    exception: { values: [{ type: "TypeError", value, stacktrace: { frames: [frame] } }] },
  })

  test("ignores line numbers, builds, origins and texts if there are frames of the application", () => {
    const one = issueOf(
      withFrame({ function: "f", filename: "https://a.test/_next/chunk-0123456789ab.js?v=1", lineno: 1, in_app: true }),
    )
    const two = issueOf(
      withFrame(
        { function: "f", filename: "http://b.test/_next/chunk-ba9876543210.js", lineno: 9, in_app: true },
        "other",
      ),
    )
    expect(one).toBe(two)
    expect(
      issueOf(withFrame({ function: "g", filename: "https://a.test/_next/chunk-0123456789ab.js", in_app: true })),
    ).not.toBe(one)
  })

  test("without frames uses the type and the text without its numbers", () => {
    const text = (value: string, type = "E") => issueOf({ exception: { values: [{ type, value }] } })
    expect(text("no cart 12 of user 7")).toBe(text("no cart 9 of user 123"))
    expect(text("no cart 12")).not.toBe(text("no order 12"))
    expect(text("no cart 12")).not.toBe(text("no cart 12", "F"))
  })

  test("uses the SDK's fingerprint if there is one, in which {{ default }} means Pagespan's", () => {
    expect(issueOf({ fingerprint: ["a"] })).toBe(issueOf({ fingerprint: ["a"], exception: undefined, message: "x" }))
    expect(issueOf({ fingerprint: ["{{ default }}"] })).toBe(issueOf({}))
    expect(issueOf({ fingerprint: ["{{ default }}", "b"] })).not.toBe(issueOf({}))
  })
})
