import { describe, expect, onTestFinished, test, vi } from "vitest"
import { NO_FACTS } from "#otel/sdk/routes/build-manifest.ts"
import { finishedSpan } from "#tests/sdk/sentry/finished-span.ts"

const MANIFEST = { ...NO_FACTS, routes: ["/", "/edge/[what]", "/index/about", "/a/route"], handlers: ["/api/[id]"] }

interface Request {
  readonly name?: string
  readonly target: string
  readonly route?: string
  readonly basePath?: string
  readonly routes?: readonly string[]
}

/** What sends spans, as loaded by a new process of an app with these routes. */
async function appWith(basePath: string) {
  vi.stubGlobal("__PAGESPAN_BUILD__", JSON.stringify({ ...MANIFEST, basePath }))
  vi.resetModules()
  onTestFinished(() => void vi.unstubAllGlobals())
  const { RequestRoutes } = await import("#otel/sdk/server/next/request-routes.ts")
  const { sanitizeSpan } = await import("#otel/sdk/sentry/sanitize-span.ts")
  return { RequestRoutes, sanitizeSpan }
}

/** Name and route of such a request's span, as it is sent. */
async function sent({ name = "GET", target, route, basePath = "", routes = MANIFEST.routes }: Request) {
  const { RequestRoutes, sanitizeSpan } = await appWith(basePath)
  const ofNext = { "next.span_type": "BaseServer.handleRequest", "http.method": "GET", "http.target": target }
  const span = finishedSpan({
    name,
    attributes: { ...ofNext, ...(route === undefined ? {} : { "http.route": route }) },
  })
  const view = sanitizeSpan(span, new RequestRoutes({ ...MANIFEST, routes, basePath }).of(span))
  return [view.name, view.attributes["http.route"]]
}

describe("a request of the edge runtime", () => {
  test.each([
    ["/edge/7?token=hunter2", "", "/edge/[what]"],
    ["/edge/x.json", "", "/edge/[what]"],
    ["/api/7", "", "/api/[id]"],
    ["/_next/data/build/edge/7.json?what=7", "", "/edge/[what]"],
    ["/_next/data/build/index.json", "", "/"],
    ["/_next/data/build/index/about.json", "", "/index/about"],
    ["/app/_next/data/build/edge/7.json", "/app", "/edge/[what]"],
    ["/app/_next/data/build/index.json", "/app", "/"],
  ])("for %s, with the base path '%s', has the route %s", async (target, basePath, route) => {
    expect(await sent({ target, basePath })).toEqual([`GET ${route}`, route])
    // Next before 16 puts the address without the base path into the name.
    expect(await sent({ name: `GET ${target.slice(basePath.length)}`, target, basePath })).toEqual([
      `GET ${route}`,
      route,
    ])
  })

  test("has it for the data of a page too", async () => {
    expect(await sent({ name: "RSC GET", target: "/edge/7?_rsc=1" })).toEqual(["RSC GET /edge/[what]", "/edge/[what]"])
    expect(await sent({ name: "RSC GET /edge/7", target: "/edge/7" })).toEqual(["RSC GET /edge/[what]", "/edge/[what]"])
  })

  test.each(["/_next/data/build", "/_next/data/", "/nowhere/7", "/nowhere/7?token=hunter2"])(
    "for %s, which no route serves, is named by its method, never by its address",
    async (target) => {
      expect(await sent({ target })).toEqual(["GET", undefined])
      expect(await sent({ name: `GET ${target}`, target })).toEqual(["GET", undefined])
      expect(await sent({ name: `RSC GET ${target}`, target })).toEqual(["RSC GET", undefined])
    },
  )
})

describe("the request of a route handler, before Next 16", () => {
  test("has its route, not the path of its file", async () => {
    const request = { name: "GET /api/[id]/route", target: "/api/7", route: "/api/[id]/route" }
    expect(await sent(request)).toEqual(["GET /api/[id]", "/api/[id]"])
  })

  test("has its route in the name of the span that runs the handler too", async () => {
    const { sanitizeSpan } = await appWith("")
    const attributes = { "next.span_type": "AppRouteRouteHandlers.runHandler", "next.route": "/api/[id]/route" }
    const span = finishedSpan({ name: "executing api route (app) /api/[id]/route", attributes })
    expect(sanitizeSpan(span).name).toBe("executing api route (app) /api/[id]")
  })

  test("a page whose own folder is called route keeps it", async () => {
    const request = { name: "GET /a/route", target: "/a/route", route: "/a/route" }
    expect(await sent(request)).toEqual(["GET /a/route", "/a/route"])
  })
})

describe("the request of the 404 page, before Next 16", () => {
  test.each(["GET", "RSC GET"])("has the route that the page and later versions have, as %s", async (method) => {
    const request = { name: `${method} /404`, target: "/nowhere/7", route: "/404" }
    expect(await sent(request)).toEqual([`${method} /_not-found`, "/_not-found"])
  })

  test("has that route in the name of the span that renders the page too", async () => {
    const { sanitizeSpan } = await appWith("")
    const attributes = { "next.span_type": "AppRender.getBodyResult", "next.route": "/404" }
    expect(sanitizeSpan(finishedSpan({ name: "render route (app) /404", attributes })).name).toBe(
      "render route (app) /_not-found",
    )
  })

  test("is no request of a page that the app has at that path", async () => {
    const request = { name: "GET /404", target: "/404", route: "/404", routes: ["/404"] }
    expect(await sent(request)).toEqual(["GET /404", "/404"])
  })
})
