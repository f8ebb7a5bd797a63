import { expect } from "vitest"
import { sleep } from "#tests/support/wait-for.ts"

/** The cases of `request-errors.test.ts`: where an error occurs, and what Sentry gets of it. */
export interface RequestErrorCase {
  readonly what: string
  readonly app: "server" | "hybrid" | "cached"
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
  ask?(request: AppRequest, path: string, headers: Readonly<Record<string, string>>): Promise<unknown>
}

/** Sends a request to the app. */
type AppRequest = (path: string, init?: RequestInit) => Promise<{ readonly status: number; readonly html: string }>

/** Longer than what the pages that are generated again name as `revalidate`. */
const STALE_MS = 1_100

/** Calls the only server action of a page, as the page does. */
const callAction: NonNullable<RequestErrorCase["ask"]> = async (request, path, headers) => {
  const id = /name="\$ACTION_ID_([^"]+)"/.exec((await request(path)).html)?.[1] ?? ""
  const ofPage = { "next-action": id, accept: "text/x-component", "content-type": "text/plain;charset=UTF-8" }
  return request(path, { method: "POST", body: "[]", headers: { ...headers, ...ofPage } })
}

const staleThenAgain: NonNullable<RequestErrorCase["ask"]> = async (request, path) => {
  expect((await request(path)).status).toBe(200)
  await sleep(STALE_MS)
  await request(path)
}

const onDemand: NonNullable<RequestErrorCase["ask"]> = (request, path) => request(`/api/revalidate?path=${path}`)

/** Next's own messages. */
const OMITTED =
  "An error occurred in the Server Components render. The specific message is omitted in production builds to avoid leaking sensitive details. A digest property is included on this error instance which may provide additional details about the nature of the error."
const STRICT =
  'Route /strict/[how] with `dynamic = "error"` couldn\'t be rendered statically because it used `headers()`. See more info here: https://nextjs.org/docs/app/building-your-application/rendering/static-and-dynamic'

export const REQUEST_ERROR_CASES: readonly RequestErrorCase[] = [
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
    ask: callAction,
  },
  {
    what: "a server action at the edge",
    app: "server",
    path: "/edge-action",
    message: "thrown at the edge in a server action",
    transaction: "POST /edge-action",
    context: ["App Router", "/edge-action", "action"],
    isOfEdge: true,
    ask: callAction,
  },
  {
    what: "a page that is made for all visitors, and reads something of one",
    app: "server",
    path: "/usage/headers",
    message: OMITTED,
    transaction: "GET /usage/[how]",
    context: ["App Router", "/usage/[how]", "render"],
  },
  {
    what: "a page that is made for all visitors, and reads the query of one without Suspense",
    app: "server",
    path: "/usage/search",
    message: "",
    transaction: "GET /usage/[how]",
    context: ["App Router", "/usage/[how]", "render"],
  },
  {
    what: "a page that declares itself static, and reads something of one visitor",
    app: "server",
    path: "/strict/headers",
    message: STRICT,
    transaction: "GET /strict/[how]",
    context: ["App Router", "/strict/[how]", "render"],
  },
  {
    what: "a stale page that is generated again",
    app: "server",
    path: "/stale",
    message: "thrown by a stale page",
    transaction: "GET /stale",
    context: ["App Router", "/stale", "render"],
    ask: staleThenAgain,
  },
  {
    what: "a stale route handler that runs again",
    app: "server",
    path: "/api/stale",
    message: "thrown by a stale route handler",
    transaction: "GET /api/stale",
    context: ["App Router", "/api/stale", "route"],
    ask: staleThenAgain,
  },
  {
    what: "a page of app/ that is generated again on demand",
    app: "hybrid",
    path: "/isr",
    message: "thrown by a revalidated page",
    transaction: "GET /isr",
    root: "GET /api/revalidate",
    context: ["App Router", "/isr", "render"],
    ask: onDemand,
  },
  {
    what: "a route handler that runs again on demand",
    app: "hybrid",
    path: "/api/on-demand",
    message: "thrown by a revalidated route handler",
    transaction: "GET /api/on-demand",
    root: "GET /api/revalidate",
    context: ["App Router", "/api/on-demand", "route"],
    ask: onDemand,
  },
  {
    what: "a page of pages/ that is generated again on demand",
    app: "hybrid",
    path: "/on-demand",
    message: "thrown by a revalidated page of pages/",
    transaction: "GET /on-demand",
    root: "GET /api/revalidate",
    context: ["Pages Router", "/on-demand", "render"],
    ask: onDemand,
  },
  {
    what: "a page of app/ that a server action has generated again",
    app: "hybrid",
    path: "/renewed",
    message: "thrown by a page that an action renews",
    transaction: "GET /renewed",
    context: ["App Router", "/renewed", "render"],
    ask: async (request, path) => {
      await callAction(request, "/renewing", {})
      return request(path)
    },
  },
  {
    what: "a stale page of pages/ that is generated again",
    app: "hybrid",
    path: "/stale",
    message: "thrown by a stale page of pages/",
    transaction: "GET /stale",
    context: ["Pages Router", "/stale", "render"],
    ask: staleThenAgain,
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
    path: "/api/edge/broken?token=hunter2",
    message: "thrown by an API route at the edge",
    transaction: "GET /api/edge/[id]",
    context: ["Pages Router", "/api/edge/[id]", "route"],
  },
  {
    what: "the props of a page of pages/ at the edge",
    app: "hybrid",
    path: "/edge/props?token=hunter2",
    message: "thrown at the edge for the props of a page",
    transaction: "GET /edge/[what]",
    context: ["Pages Router", "/edge/[what]", "render"],
    isOfEdge: true,
  },
  {
    what: "a page of pages/ that the server renders at the edge",
    app: "hybrid",
    path: "/edge/render",
    message: "thrown at the edge while a page renders",
    transaction: "GET /edge/[what]",
    context: ["Pages Router", "/edge/[what]", "render"],
    isOfEdge: true,
  },
  {
    what: "a stale page with Cache Components that is generated again",
    app: "cached",
    path: "/stale/broken",
    message: "thrown by a stale cached function",
    transaction: "GET /stale/[how]",
    context: ["App Router", "/stale/[how]", "render"],
    ask: staleThenAgain,
  },
  {
    what: "a part of a prerendered page that is made for each request, with Cache Components",
    app: "cached",
    path: "/holes/broken",
    message: "thrown by a short-lived cached function",
    transaction: "GET /holes/[how]",
    context: ["App Router", "/holes/[how]", "render"],
  },
]
