import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { sleep } from "#tests/support/wait-for.ts"

/**
 * The cases of Next's own suites of `onRequestError` that `server-errors.test.ts` does not have: both runtimes and both routers,
 * client components, pages that are generated again, and what is no error although Next throws it.
 */

let sentry: RecordingSentry
const apps = new Map<string, AppUnderTest>()

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  for (const name of ["server", "hybrid"])
    apps.set(name, await startApp(name, { environment: { SENTRY_DSN: sentry.dsn } }))
}, 600_000)

afterAll(async () => {
  for (const app of apps.values()) await app.stop()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

/** As long as an error that must not arrive has to arrive. */
const QUIET_MS = 400
/** Longer than what the pages that are generated again name as `revalidate`. */
const STALE_MS = 1_100

const request = async (app: string, path: string, init?: RequestInit) => {
  const response = await fetch(`${apps.get(app)!.origin}${path}`, { redirect: "manual", ...init })
  return { status: response.status, html: await response.text() }
}

interface Case {
  readonly what: string
  readonly app: "server" | "hybrid"
  readonly path: string
  readonly message: string
  readonly transaction: string
  /** Of the context `nextjs`. */
  readonly context: readonly [router: "App Router" | "Pages Router", path: string, type: string]
  /** The transaction of the request, if that is another one. */
  readonly root?: string
  /** Whether the edge runtime reports it, which has no span: the error joins the trace that the request names. */
  readonly isOfEdge?: true
  /** Makes the request that fails. Default: loads the path. */
  ask?(path: string): Promise<unknown>
}

const staleThenAgain = (app: string) => async (path: string) => {
  expect((await request(app, path)).status).toBe(200)
  await sleep(STALE_MS)
  await request(app, path)
}

const CASES: readonly Case[] = [
  {
    what: "a server component at the edge",
    app: "server",
    path: "/edge/server?token=hunter2",
    message: "thrown at the edge by a server component",
    transaction: "GET /edge/[what]",
    context: ["App Router", "/edge/[what]", "render"],
    isOfEdge: true,
  },
  {
    what: "a client component that the server renders at the edge",
    app: "server",
    path: "/edge/client",
    message: "thrown at the edge by a client component",
    transaction: "GET /edge/[what]",
    context: ["App Router", "/edge/[what]", "render"],
    isOfEdge: true,
  },
  {
    what: "a client component that the server renders",
    app: "server",
    path: "/client/broken?token=hunter2",
    message: "thrown by a client component",
    transaction: "GET /client/[how]",
    context: ["App Router", "/client/[how]", "render"],
  },
  {
    what: "a server action that a page calls by script",
    app: "server",
    path: "/action",
    message: "thrown in a server action",
    transaction: "POST /action",
    context: ["App Router", "/action", "action"],
    ask: async (path) => {
      const id = /name="\$ACTION_ID_([^"]+)"/.exec((await request("server", path)).html)?.[1] ?? ""
      const headers = { "next-action": id, accept: "text/x-component", "content-type": "text/plain;charset=UTF-8" }
      return request("server", path, { method: "POST", body: "[]", headers })
    },
  },
  {
    what: "a stale page that is generated again",
    app: "server",
    path: "/stale",
    message: "thrown by a stale page",
    transaction: "GET /stale",
    context: ["App Router", "/stale", "render"],
    ask: staleThenAgain("server"),
  },
  {
    what: "a stale route handler that runs again",
    app: "server",
    path: "/api/stale",
    message: "thrown by a stale route handler",
    transaction: "GET /api/stale",
    context: ["App Router", "/api/stale", "route"],
    ask: staleThenAgain("server"),
  },
  {
    what: "a page of app/ that is generated again on demand",
    app: "hybrid",
    path: "/isr",
    message: "thrown by a revalidated page",
    transaction: "GET /isr",
    root: "GET /api/revalidate",
    context: ["App Router", "/isr", "render"],
    ask: (path) => request("hybrid", `/api/revalidate?path=${path}`),
  },
  {
    what: "a stale page of pages/ that is generated again",
    app: "hybrid",
    path: "/stale",
    message: "thrown by a stale page of pages/",
    transaction: "GET /stale",
    context: ["Pages Router", "/stale", "render"],
    ask: staleThenAgain("hybrid"),
  },
  {
    what: "the props of a page of pages/",
    app: "hybrid",
    path: "/blog/broken?token=hunter2",
    message: "thrown for the props of a page",
    transaction: "GET /blog/[slug]",
    context: ["Pages Router", "/blog/[slug]", "render"],
  },
  {
    what: "a page of pages/ that the server renders",
    app: "hybrid",
    path: "/broken",
    message: "thrown while a page renders",
    transaction: "GET /broken",
    context: ["Pages Router", "/broken", "render"],
  },
  {
    what: "an API route",
    app: "hybrid",
    path: "/api/fail/7?token=hunter2",
    message: "thrown by an API route for 7",
    transaction: "GET /api/fail/[id]",
    context: ["Pages Router", "/api/fail/[id]", "route"],
  },
  {
    what: "an API route at the edge",
    app: "hybrid",
    path: "/api/edge",
    message: "thrown by an API route at the edge",
    transaction: "GET /api/edge",
    context: ["Pages Router", "/api/edge", "route"],
  },
]

describe("an error is sent once, under its route, on a span of its request:", () => {
  test.each(CASES)(
    "$what",
    async ({ app, path, message, transaction, root: rootName = transaction, context, isOfEdge, ask }) => {
      const traceId = randomBytes(16).toString("hex")
      const headers: Record<string, string> = isOfEdge ? { "sentry-trace": `${traceId}-00f067aa0ba902b7-1` } : {}
      await (ask?.(path) ?? request(app, path, { headers }))
      const has = (event: Payload) => event["exception"]?.values.at(-1).value === message
      const error = await sentry.waitForError(message, has)
      const { trace_id, span_id } = error["contexts"].trace
      const root = await sentry.waitForTransaction(
        "of its request",
        ({ contexts, spans }) =>
          contexts.trace.trace_id === trace_id &&
          (isOfEdge || [contexts.trace, ...spans].some((span: Payload) => span["span_id"] === span_id)),
      )
      await sleep(QUIET_MS)
      expect(sentry.errors().filter(has)).toHaveLength(1)
      expect([error["transaction"], root["transaction"]]).toEqual([transaction, rootName])
      const [router_kind, router_path, route_type] = context
      expect(error["contexts"].nextjs).toEqual({
        request_path: path.split("?")[0],
        router_kind,
        router_path,
        route_type,
      })
      expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
    },
  )
})

describe("what Next throws for its own ends is no error:", () => {
  test.each([
    ["redirect() of a client component", "/client/redirect", 307],
    ["notFound() of a client component", "/client/missing", 404],
    ["forbidden() of a client component", "/client/forbidden", 403],
    ["a component that only the browser renders", "/client/browser", 200],
    ["forbidden() of a server component", "/away/forbidden", 403],
    ["notFound() of a route handler", "/api/fail/missing", 404],
    ["forbidden() of a route handler", "/api/fail/forbidden", 403],
  ])("%s", async (_, path, status) => {
    const response = await request("server", path)
    expect(response.status).toBe(status)
    await sentry.waitForTransaction("of it", () => true)
    await sleep(QUIET_MS)
    expect(sentry.errors()).toEqual([])
  })

  test("a visitor who leaves while the page streams", async () => {
    const leaves = new AbortController()
    const { body } = await fetch(`${apps.get("server")!.origin}/hang`, {
      headers: { RSC: "1" },
      signal: leaves.signal,
    })
    const { value } = await body!.getReader().read()
    expect(new TextDecoder().decode(value).length).toBeGreaterThan(0)
    leaves.abort()
    await request("server", "/api/fail/plain")
    await sentry.waitForError("of the next request", () => true)
    await sleep(QUIET_MS)
    expect(sentry.errors().map(({ exception }) => exception.values.at(-1).value)).toEqual(["thrown in a route handler"])
  })
})
