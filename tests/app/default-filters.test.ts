import { beforeAll, describe, expect, test } from "vitest"
import { frameworkSignals } from "#app/filters/framework-signals.ts"
import { noisyErrors } from "#app/filters/noisy-errors.ts"
import { notFoundTrace } from "#app/filters/not-found-trace.ts"
import { sentryClient } from "#tests/sdk/sentry/sentry-client.ts"

const errors = [...frameworkSignals, ...noisyErrors]

async function dropsOf(side: "page" | "server", ...thrown: unknown[]): Promise<string[]> {
  const sentry = sentryClient({ side, filters: { errors } })
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
  test.each([
    "Script error.",
    "Script error",
    "Uncaught Script error.",
    "Javascript error: Script error. on line 0",
    "ResizeObserver loop completed with undelivered notifications.",
    "ResizeObserver loop limit exceeded",
    "Cannot redefine property: googletag",
    "Can't find variable: gmo",
    "undefined is not an object (evaluating 'a.L')",
    `can't redefine non-configurable property "solana"`,
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
    expect(notFoundTrace.drops(given)).toBe(isDropped)
  })
})
