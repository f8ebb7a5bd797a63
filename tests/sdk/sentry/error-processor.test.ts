import { Scope } from "@sentry/core"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { currentFilters, type Filters, setFilters } from "#otel/sdk/filters.ts"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { finishedSpan, TRACE_ID } from "./finished-span.ts"
import { SECRET, SECRET_SHAPES } from "./secret-shapes.ts"
import { sentryClient } from "./sentry-client.ts"

async function capture(filters: Partial<Filters>, ...errors: unknown[]) {
  const sentry = sentryClient({ filters })
  for (const error of errors) sentry.capture(error)
  await sentry.flush()
  return { values: sentry.items.map((event) => event["exception"].values as Payload[]), drops: sentry.drops }
}

/** An error whose innermost frame is in this file. */
function errorAt(file: string, message = "boom"): Error {
  const error = new Error(message)
  error.stack = `Error: ${message}\n    at run (${file}:1:2)\n    at outer (/app/outer.js:3:4)`
  return error
}

describe("an error event", () => {
  test("is put on the span that was active, with the trace's own sampling context in the header", async () => {
    const samplingContext = { trace_id: TRACE_ID, public_key: "k", sample_rate: "1" }
    const span = finishedSpan({ parent: { spanId: "1".repeat(16) } })
    const sentry = sentryClient({ trace: { span, samplingContext } })
    sentry.capture(new Error("boom"))
    await sentry.flush()
    expect(sentry.items[0]?.["contexts"].trace).toEqual({
      trace_id: TRACE_ID,
      span_id: "b7ad6b7169203331",
      parent_span_id: "1".repeat(16),
    })
    expect(sentry.headers[0]?.["trace"]).toEqual(samplingContext)
  })

  test("names its service as a transaction does, unless the app has named another", async () => {
    const sentry = sentryClient()
    sentry.capture(new Error("boom"))
    const otel = { resource: { "service.name": "stock" } }
    sentry.client.captureEvent({ message: "of another service", contexts: { otel } })
    await sentry.flush()
    expect(sentry.items.map(({ contexts }) => contexts.otel.resource)).toEqual([
      { "service.name": "shop" },
      { "service.name": "stock" },
    ])
  })

  test("has the digest that a visitor sees instead of it", async () => {
    const sentry = sentryClient()
    sentry.capture(Object.assign(new Error("boom"), { digest: "1717171717" }))
    sentry.capture(new Error("without one"))
    await sentry.flush()
    expect(sentry.items.map(({ tags }) => tags)).toEqual([{ "error.digest": "1717171717" }, undefined])
  })

  test("is sent once for each error, even if two have the same message and place", async () => {
    const make = () => errorAt("/app/a.js")
    expect((await capture({}, make(), make())).values).toHaveLength(2)
  })

  test("is sent once for an error that is captured twice", async () => {
    const error = new Error("boom")
    expect((await capture({}, error, error)).values).toHaveLength(1)
  })

  test("includes causes, the innermost first, at most five", async () => {
    let error = new Error("0")
    for (let depth = 1; depth < 10; depth++) error = new Error(String(depth), { cause: error })
    const [values] = (await capture({}, error)).values
    expect(values?.map(({ value }) => value)).toEqual(["4", "5", "6", "7", "8", "9"])
  })

  test("includes the members of an AggregateError", async () => {
    const [values] = (await capture({}, new AggregateError([new Error("a"), new TypeError("b")], "all"))).values
    expect(values?.map(({ type, value }) => `${type}: ${value}`)).toEqual([
      "TypeError: b",
      "Error: a",
      "AggregateError: all",
    ])
    expect(values?.at(-1)?.["mechanism"]).toMatchObject({ is_exception_group: true })
  })
})

describe("the content of an error event", () => {
  test("has its text, its causes and its place without queries and credentials, also for beforeSend", async () => {
    const said = (text: string) => `GET https://shop:${SECRET}@api.example/cart?token=${SECRET} ${text}`
    const thrown = new Error(said("failed"), { cause: new Error(said("timed out")) })
    thrown.stack = `Error: ${thrown.message}\n    at run (https://shop.example/pay?token=${SECRET}:1:2)`
    const seen: unknown[] = []
    const sentry = sentryClient({
      filters: {
        beforeSend: (event) => {
          seen.push(event.exception?.values?.at(-1)?.value)
          return { ...event, transaction: said("failed") }
        },
      },
    })
    sentry.capture(thrown)
    await sentry.flush()
    expect(seen).toEqual([thrown.message])
    const [event] = sentry.items
    expect(event?.["exception"].values.map(({ value }: Payload) => value)).toEqual([
      "GET https://api.example/cart timed out",
      "GET https://api.example/cart failed",
    ])
    expect(event?.["exception"].values[1].stacktrace.frames[0].filename).toBe("https://shop.example/pay")
    expect(event?.["transaction"]).toBe("GET https://api.example/cart failed")
    expect(JSON.stringify(sentry.items)).not.toContain(SECRET)
  })

  test.each(SECRET_SHAPES.filter(([, value]) => value !== SECRET && value !== `sid=${SECRET}`))(
    "contains no secret of %s = %s, not even in its breadcrumbs",
    async (key, value) => {
      const sentry = sentryClient()
      const scope = new Scope()
      scope.addBreadcrumb({ category: "http", message: `GET ${value}`, data: { [key]: value } })
      sentry.client.captureException(new Error(`failed: ${value}`), {}, scope)
      sentry.client.captureMessage(`failed: ${value}`, "warning", {}, scope)
      await sentry.flush()
      expect(sentry.items).toHaveLength(2)
      expect(JSON.stringify(sentry.items)).not.toContain(SECRET)
    },
  )

  test("has its breadcrumbs, with URLs without a query", async () => {
    const sentry = sentryClient()
    const scope = new Scope()
    const request = { method: "GET", status_code: 200 }
    scope.addBreadcrumb({ category: "http", type: "http", data: { ...request, url: `/cart?token=${SECRET}` } })
    scope.addBreadcrumb({ category: "navigation", data: { from: `/a#${SECRET}`, to: "/b" } })
    sentry.client.captureException(new Error("boom"), {}, scope)
    await sentry.flush()
    expect(sentry.items[0]?.["breadcrumbs"]).toMatchObject([
      { category: "http", type: "http", data: { ...request, url: "/cart" } },
      { category: "navigation", data: { from: "/a", to: "/b" } },
    ])
  })
})

describe("Sentry's own rules", () => {
  test.each<[string, Partial<Filters>, Error, boolean]>([
    ["ignoreErrors by a part of the message", { ignoreErrors: ["oo"] }, new Error("boom"), false],
    ["ignoreErrors by a pattern", { ignoreErrors: [/^bo+m$/] }, new Error("boom"), false],
    ["ignoreErrors by type and message", { ignoreErrors: [/^RangeError: boom$/] }, new RangeError("boom"), false],
    ["ignoreErrors that does not match", { ignoreErrors: ["bang", /^oom/] }, new Error("boom"), true],
    ["denyUrls", { denyUrls: ["/vendor/"] }, errorAt("/app/vendor/x.js"), false],
    ["denyUrls of another script", { denyUrls: ["/vendor/"] }, errorAt("/app/x.js"), true],
    ["allowUrls", { allowUrls: [/\/app\//] }, errorAt("/app/x.js"), true],
    ["allowUrls of other scripts", { allowUrls: [/\/shop\//] }, errorAt("/app/x.js"), false],
    ["allowUrls where nothing is listed", { allowUrls: [] }, errorAt("/app/x.js"), true],
    ["denyUrls before allowUrls", { allowUrls: [/app/], denyUrls: [/x\.js/] }, errorAt("/app/x.js"), false],
  ])("%s", async (_, rules, error, isSent) => {
    const { values, drops } = await capture(rules, error)
    expect(values).toHaveLength(isSent ? 1 : 0)
    expect(drops).toEqual(isSent ? [] : ["ignored/error=1"])
  })

  test("a pattern with the g flag matches every time", async () => {
    const { drops } = await capture({ ignoreErrors: [/boom/g] }, new Error("boom"), new Error("boom"))
    expect(drops).toEqual(["ignored/error=1", "ignored/error=1"])
  })
})

test.each<[string, Partial<Filters>]>([
  ["ignoreErrors", { ignoreErrors: [Object.freeze(/boom/)] }],
  ["denyUrls", { denyUrls: [Object.freeze(/\/app\//)] }],
  ["allowUrls", { allowUrls: [Object.freeze(/\/shop\//)] }],
])("a frozen pattern of %s matches", async (_, filters) => {
  const sentry = sentryClient({ filters })
  sentry.capture(errorAt("/app/x.js"))
  await sentry.flush()
  expect(sentry.drops).toEqual(["ignored/error=1"])
  expect(sentry.failed).toEqual([])
})

test("a filter gets the scripts of an error, innermost first, also in Firefox 111, which cannot copy lists in reverse", async () => {
  const { toReversed } = Array.prototype
  Reflect.deleteProperty(Array.prototype, "toReversed")
  onTestFinished(() => void Object.assign(Array.prototype, { toReversed }))
  const scripts: (readonly string[])[] = []
  const drops: Filters["errors"][0]["drops"] = (facts) => scripts.push(facts.scripts) === 0
  await capture({ errors: [{ name: "scripts", reason: "ignored", drops }] }, errorAt("/app/x.js"))
  expect(scripts).toEqual([["/app/x.js", "/app/outer.js"]])
})

describe("beforeSend", () => {
  test("gets the event on its trace, and its result is sent", async () => {
    const sentry = sentryClient({
      trace: { span: finishedSpan(), samplingContext: undefined },
      filters: { beforeSend: (event) => ({ ...event, tags: { trace: String(event.contexts?.trace?.trace_id) } }) },
    })
    sentry.capture(new Error("boom"))
    await sentry.flush()
    expect(sentry.items[0]?.["tags"]).toEqual({ trace: TRACE_ID })
  })

  test.each([
    ["drops with null", () => null, "before_send/error=1"],
    ["drops with a promise of null", async () => null, "before_send/error=1"],
    [
      "drops by throwing",
      () => {
        throw new Error("in the callback")
      },
      "callback_error/error=1",
    ],
    ["drops by returning what is no event", () => true, "callback_error/error=1"],
    ["drops by rejecting", () => Promise.reject(new Error("in the callback")), "callback_error/error=1"],
  ])("%s, counted once", async (_, beforeSend, drop) => {
    const { values, drops } = await capture(
      { beforeSend: beforeSend as NonNullable<Filters["beforeSend"]> },
      new Error("boom"),
    )
    expect(values).toEqual([])
    expect(drops).toEqual([drop])
  })

  test("does not run if a filter has dropped the event", async () => {
    const beforeSend = vi.fn<() => null>(() => null)
    await capture({ beforeSend, ignoreErrors: ["boom"] }, new Error("boom"))
    expect(beforeSend).not.toHaveBeenCalled()
  })
})

test("an error that a filter drops under a reason of its own is counted as ignored", async () => {
  onTestFinished(() => setFilters({}))
  setFilters({ errors: [{ name: "own", reason: "because" as "ignored", drops: () => true }] })
  expect((await capture(currentFilters(), new Error("boom"))).drops).toEqual(["ignored/error=1"])
})

describe("a failing filter does not drop the error", () => {
  const fail = () => {
    throw new Error("in the filter")
  }
  const named = (drops: unknown) =>
    ({ errors: [{ name: "filter", reason: "noisy_error", drops: drops as () => boolean }] }) as const
  const BROKEN = new Proxy(/boom/, { get: fail })

  test.each<[string, Partial<Filters>, string]>([
    ["by throwing", named(fail), "filter"],
    ["by returning a promise", named(async () => true), "filter"],
    ["by returning a promise that rejects", named(async () => fail()), "filter"],
    ["by returning a text", named(() => "yes"), "filter"],
    ["by being no function", named(undefined), "filter"],
    [
      "by a name that throws",
      {
        errors: [
          {
            get name() {
              return fail()
            },
            reason: "noisy_error",
            drops: fail,
          },
        ],
      },
      "number 1",
    ],
    ["as a pattern of ignoreErrors", { ignoreErrors: [BROKEN] }, "ignoreErrors"],
    ["as a frozen pattern of denyUrls with the g flag", { denyUrls: [Object.freeze(/app/g)] }, "denyUrls"],
    ["as a pattern of allowUrls", { allowUrls: [5 as never] }, "allowUrls"],
  ])("%s", async (_, filters, name) => {
    const sentry = sentryClient({ filters })
    sentry.capture(errorAt("/app/x.js"))
    await sentry.flush()
    expect(sentry.items).toHaveLength(1)
    expect(sentry.drops).toEqual([])
    expect(new Set(sentry.failed)).toEqual(new Set([name]))
  })

  test("and the following filters still run", async () => {
    const errors = [...named(fail).errors, ...named(({ message }: { message: string }) => message === "boom").errors]
    const { values, drops } = await capture({ errors }, new Error("boom"), new Error("bang"))
    expect(values.map(([value]) => value?.["value"])).toEqual(["bang"])
    expect(drops).toEqual(["noisy_error/error=1"])
  })

  test("even if the digest cannot be read", async () => {
    const error = Object.defineProperty(new Error("boom"), "digest", { get: fail })
    const { values, drops } = await capture(
      named(() => false),
      error,
    )
    expect(values).toHaveLength(1)
    expect(drops).toEqual([])
  })
})
