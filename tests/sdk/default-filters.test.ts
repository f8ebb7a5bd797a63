import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { defaultFilters } from "#otel/filters.ts"
import { currentFilters, type Filters, setFilters } from "#otel/sdk/filters.ts"
import { sentryClient } from "#tests/sdk/sentry/sentry-client.ts"

/** What an app that sets no filters drops. */
async function dropsOf(side: "page" | "server", ...thrown: unknown[]): Promise<string[]> {
  const sentry = sentryClient({ side })
  for (const error of thrown) sentry.capture(error)
  await sentry.flush()
  expect(sentry.items.length + sentry.drops.length).toBe(thrown.length)
  return sentry.drops
}

function withDigest(message: string, digest: string): Error {
  return Object.assign(new Error(message), { digest })
}

/** What Next's own functions throw. */
const thrownByNext: [name: string, error: unknown][] = []

beforeAll(async () => {
  process.env["__NEXT_EXPERIMENTAL_AUTH_INTERRUPTS"] = "1"
  const navigation = await import("next/navigation.js")
  const calls = {
    redirect: () => navigation.redirect("/a"),
    permanentRedirect: () => navigation.permanentRedirect("/a"),
    notFound: () => navigation.notFound(),
    forbidden: () => navigation.forbidden(),
    unauthorized: () => navigation.unauthorized(),
  }
  for (const [name, call] of Object.entries(calls)) {
    try {
      call()
    } catch (error) {
      thrownByNext.push([name, error])
    }
  }
})

describe("framework signals", () => {
  test("that Next's own functions throw are dropped on both sides", async () => {
    expect(thrownByNext.map(([name]) => name)).toHaveLength(5)
    for (const [, error] of thrownByNext) {
      expect((error as { digest?: string }).digest).toMatch(/^NEXT_/)
      expect(await dropsOf("server", error)).toEqual(["framework_signal/error=1"])
    }
  })

  test.each([
    ["a hanging prerender", () => withDigest("during prerendering", "HANGING_PROMISE_REJECTION")],
    ["an interrupted prerender", () => withDigest("interrupted", "NEXT_PRERENDER_INTERRUPTED")],
    ["dynamic server usage", () => withDigest("Dynamic server usage: cookies", "DYNAMIC_SERVER_USAGE")],
    ["bail-out to the client", () => withDigest("Bail out", "BAILOUT_TO_CLIENT_SIDE_RENDERING")],
    ["a redirect that lost its digest", () => new Error("NEXT_REDIRECT;replace;/;307;")],
    [
      "React's suspense",
      () => new Error("Suspense Exception: This is not a real error! It's an implementation detail"),
    ],
    ["React's suspense, leaked", () => new Error("Suspense Exception: This is not a real error, and should not leak")],
  ])("%s is dropped", async (_, make) => {
    expect(await dropsOf("server", make())).toEqual(["framework_signal/error=1"])
    expect(await dropsOf("page", make())).toEqual(["framework_signal/error=1"])
  })

  test.each(["The destination stream closed early.", "The destination stream errored while writing data."])(
    "a render that ended because the visitor left is no error of the server: %s",
    async (message) => {
      expect(await dropsOf("server", new Error(message))).toEqual(["framework_signal/error=1"])
      // Next 16.3 gives it a digest, as it does to errors of the app.
      expect(await dropsOf("server", withDigest(message, "2305832684"))).toEqual(["framework_signal/error=1"])
      expect(await dropsOf("server", new Error(`upload: ${message}`))).toEqual([])
    },
  )

  test.each([
    ["an error with a digest of its own", withDigest("boom", "3580749256")],
    ["a message that only speaks of a redirect", new Error("could not handle NEXT_REDIRECT;replace")],
    ["a digest that only begins alike", withDigest("boom", "NEXT_HTTP_ERROR_FALLBACK;4040")],
    ["a thrown text", "boom"],
    ["a thrown object", { digest: 7 }],
  ])("%s is reported", async (_, error) => {
    expect(await dropsOf("server", error)).toEqual([])
  })
})

describe("browser noise", () => {
  test.each(["Script error.", "Script error", "Uncaught Script error.", "Javascript error: Script error. on line 0"])(
    "%s is dropped without a stack, and reported with one",
    async (message) => {
      const bare = () => Object.assign(new Error(message), { stack: `Error: ${message}` })
      expect(await dropsOf("page", bare())).toEqual(["noisy_error/error=1"])
      expect(await dropsOf("server", bare())).toEqual([])
    },
  )

  test.each([
    ["of the app's own", () => AbortSignal.abort().reason as unknown],
    ["of Firefox", () => new DOMException("The operation was aborted. ", "AbortError")],
    ["of Safari", () => new TypeError("cancelled")],
  ])("a request cancelled by a signal %s is dropped in a page, and reported by a server", async (_, make) => {
    expect(await dropsOf("page", make())).toEqual(["noisy_error/error=1"])
    expect(await dropsOf("server", make())).toEqual([])
  })

  test.each([
    "ResizeObserver loop completed with undelivered notifications.",
    "ResizeObserver loop limit exceeded",
    "Cannot redefine property: googletag",
    "Can't find variable: gmo",
    "undefined is not an object (evaluating 'a.L')",
    `can't redefine non-configurable property "solana"`,
    "Cannot redefine property: ethereum",
    "Cannot set property ethereum of #<Window> which has only a getter",
    "Extension context invalidated.",
    "Could not establish connection. Receiving end does not exist.",
    "A listener indicated an asynchronous response by returning true, but the message channel closed before a response was received",
    "undefined is not an object (evaluating 'window.webkit.messageHandlers.selection.postMessage')",
    "undefined is not an object (evaluating '__gCrWeb.instantSearch.setIsOnScreen')",
    "vv().getRestrictions is not a function. (In 'vv().getRestrictions(1,a)')",
    "Can't find variable: _AutofillCallbackHandler",
    "Object Not Found Matching Id:3, MethodName:simulateEvent, ParamCount:1",
    "Java exception was raised during method invocation",
    "Error invoking postMessage: Java object is gone",
  ])("%s is dropped in a page, and reported by a server", async (message) => {
    expect(await dropsOf("page", new Error(message))).toEqual(["noisy_error/error=1"])
    expect(await dropsOf("server", new Error(message))).toEqual([])
  })

  test.each([
    "Script error in line 5 of order.js",
    "Failed to fetch",
    "the order was cancelled",
    "AbortErrors are counted",
    "ResizeObserver loop is what we observe",
    "undefined is not an object (evaluating 'order.total')",
    "Can't find variable: gmoney",
    "solana is down",
  ])("%s is reported", async (message) => {
    expect(await dropsOf("page", new Error(message))).toEqual([])
  })

  test.each(["chrome", "moz", "safari", "safari-web", "ms-browser"])(
    "an error of a script that a %s extension injected is dropped",
    async (scheme) => {
      const error = new Error("boom")
      error.stack = `Error: boom\n    at run (${scheme}-extension://abc/inject.js:1:2)\n    at app (/app/x.js:3:4)`
      expect(await dropsOf("page", error)).toEqual(["noisy_error/error=1"])
    },
  )
})

describe("the trace of the 404 page", () => {
  const facts = { side: "server" as const, name: "GET /items/[id]", route: "/items/[id]", statusCode: 200 }

  test.each([
    [{ ...facts, name: "/_not-found", route: undefined }, true],
    [{ ...facts, name: "GET /_not-found", route: "/_not-found" }, true],
    [{ ...facts, name: "GET", route: undefined, statusCode: 404 }, true],
    [{ ...facts, statusCode: 404 }, false],
    [{ ...facts, name: "GET", route: undefined, statusCode: 500 }, false],
    [facts, false],
  ])("%o is dropped: %s", (given, isDropped) => {
    expect(defaultFilters.transactions.some((filter) => filter.drops(given))).toBe(isDropped)
  })
})

describe("an app", () => {
  afterAll(() => setFilters({}))

  const own = {
    name: "own",
    reason: "ignored",
    drops: ({ message }) => message === "own",
  } satisfies Filters["errors"][0]
  const noise = () => new Error("ResizeObserver loop limit exceeded")

  async function dropsWith(filters: Partial<Filters>): Promise<string[]> {
    setFilters(filters)
    const sentry = sentryClient({ side: "page", filters: currentFilters() })
    sentry.capture(new Error("own"))
    sentry.capture(noise())
    await sentry.flush()
    return sentry.drops.toSorted()
  }

  test("extends the default filters", async () => {
    const filters = { errors: [...defaultFilters.errors, own] }
    expect(await dropsWith(filters)).toEqual(["ignored/error=1", "noisy_error/error=1"])
  })

  test("replaces the default filters, or has none", async () => {
    expect(await dropsWith({ errors: [own] })).toEqual(["ignored/error=1"])
    expect(await dropsWith({ errors: [] })).toEqual([])
  })

  test("keeps the default filters where a list is not a list", async () => {
    const junk = { errors: {}, transactions: "all", ignoreErrors: /own/, beforeSend: undefined }
    expect(await dropsWith(junk as unknown as Partial<Filters>)).toEqual(["noisy_error/error=1"])
    expect(currentFilters()).not.toHaveProperty("transactions")
    expect(await dropsWith(null as unknown as Partial<Filters>)).toEqual(["noisy_error/error=1"])
  })

  test("keeps the default filters when it sets other rules", async () => {
    expect(await dropsWith({ ignoreErrors: ["own"] })).toEqual(["ignored/error=1", "noisy_error/error=1"])
    expect(currentFilters().transactions).toBeUndefined()
  })
})
