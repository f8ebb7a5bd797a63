import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { reportRequestError } from "#otel/sdk/server/request-errors.ts"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { startServer } from "#otel/sdk/server/start.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

let sentry: RecordingSentry

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  startServer({ SENTRY_DSN: sentry.dsn, NODE_ENV: "production" })
})

afterAll(() => sentry?.close())

beforeEach(() => sentry.clear())

async function reported(digest: string) {
  reportRequestError(
    Object.assign(new TypeError(`ended by ${digest}`, { cause: new Error("why") }), { digest }),
    { path: "/items/7", method: "GET", headers: {} },
    { routerKind: "App Router", routePath: "/items/[id]", routeType: "render", revalidateReason: undefined },
  )
  await serverRuntime()?.flush()
  return sentry.errors()
}

test.each(["DYNAMIC_SERVER_USAGE", "BAILOUT_TO_CLIENT_SIDE_RENDERING"])(
  "a static render that ends with %s is an error of the request for which Next has no other render",
  async (digest) => {
    const [error, ...others] = await reported(digest)
    expect(others).toEqual([])
    expect(error).toMatchObject({ transaction: "GET /items/[id]", tags: { "error.digest": digest } })
    expect(error?.["exception"].values).toMatchObject([
      { type: "Error", value: "why" },
      {
        type: "TypeError",
        value: `ended by ${digest}`,
        mechanism: { type: "auto.function.nextjs.on_request_error", handled: false },
      },
    ])
  },
)

test.each(["NEXT_REDIRECT;replace;/;307;", "NEXT_HTTP_ERROR_FALLBACK;404", "NEXT_PRERENDER_INTERRUPTED"])(
  "%s is none, even if Next passes it as one",
  async (digest) => {
    expect(await reported(digest)).toEqual([])
  },
)
