import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ask } from "#tests/app/plain-request.ts"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/**
 * The cases of Next's own suite of OpenTelemetry: the spans of a request to each kind of route, without a caller's trace and with
 * one.
 */

interface Case {
  readonly what: string
  readonly app: "server" | "hybrid"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Spans below each other, as lines: the name, `!` after one that failed, and the status code of a request. */
  readonly tree: readonly string[]
}

/** What Next does to render a page of `app/` with this number of segments, and the metadata that the page makes. */
function rendered(page: string, segments: number, metadata: readonly string[] = []): string[] {
  return [
    "  NextNodeServer.clientComponentLoading",
    `  render route (app) ${page}`,
    "    build component tree",
    ...Array.from({ length: segments }, () => "      resolve segment modules"),
    ...metadata.map((line) => `    ${line}`),
    "    start response",
    "  resolve page components",
  ]
}

const CASES: readonly Case[] = [
  {
    what: "a page of app/, below a layout",
    app: "server",
    path: "/nested/1",
    tree: [
      "GET /nested/[param] 200",
      ...rendered("/nested/[param]", 3, [
        "generateMetadata /nested/[param]/page",
        "generateViewport /nested/[param]/page",
      ]),
    ],
  },
  {
    what: "data of a page of app/, with a parameter that Next removes by a redirect",
    app: "server",
    path: "/nested/1?_rsc=x",
    headers: { rsc: "1" },
    tree: ["RSC GET /nested/[param] 307", "  resolve page components"],
  },
  {
    what: "a page of app/ that fails",
    app: "server",
    path: "/broken/1",
    tree: ["GET /broken/[id] ! 500", ...rendered("/broken/[id] !", 2)],
  },
  {
    what: "a page of app/ that fails while it streams",
    app: "server",
    path: "/late/broken",
    tree: ["GET /late/[id] 200", ...rendered("/late/[id] !", 2)],
  },
  {
    what: "a page of app/ whose generateMetadata fails",
    app: "server",
    path: "/titled",
    tree: ["GET /titled 200", ...rendered("/titled !", 2, ["generateMetadata /titled/page !"])],
  },
  ...["notFound", "forbidden", "unauthorized", "redirect"].map((how) => ({
    what: `a page of app/ whose generateMetadata calls ${how}(), which is no failure`,
    app: "server" as const,
    path: `/untitled/${how}`,
    tree: ["GET /untitled/[how] 200", ...rendered("/untitled/[how]", 2, ["generateMetadata /untitled/[how]/page"])],
  })),
  {
    what: "a page behind the proxy",
    app: "server",
    path: "/behind",
    tree: [
      "middleware GET 200",
      "  GET /behind 200",
      ...rendered("/behind", 2).map((line) => `  ${line}`),
      "  middleware GET",
    ],
  },
  {
    what: "a route handler",
    app: "server",
    path: "/api/say/x",
    tree: [
      "GET /api/say/[what] 200",
      "  executing api route (app) /api/say/[what]",
      "  resolve page components",
      "  start response",
    ],
  },
  {
    what: "a route handler at the edge",
    app: "server",
    path: "/api/edge/x",
    tree: ["GET /api/edge/[what] 200", "  start response"],
  },
  {
    what: "a page of app/ at the edge that fails",
    app: "server",
    path: "/edge/client",
    tree: ["GET /edge/[what] ! 500", "  start response"],
  },
  {
    what: "an address that nothing serves",
    app: "server",
    path: "/no-such",
    tree: ["GET /_not-found 404", "  resolve page components"],
  },
  {
    what: "a page of pages/ with getServerSideProps",
    app: "hybrid",
    path: "/blog/1",
    tree: [
      "GET /blog/[slug] 200",
      "  getServerSideProps /blog/[slug]",
      "  render route (pages) /blog/[slug]",
      "  resolve page components",
    ],
  },
  {
    what: "a page of pages/ whose getServerSideProps redirects",
    app: "hybrid",
    path: "/blog/away",
    tree: ["GET /blog/[slug] 307", "  getServerSideProps /blog/[slug]", "  resolve page components"],
  },
  {
    what: "a page of pages/ whose getServerSideProps fails",
    app: "hybrid",
    path: "/blog/broken",
    tree: [
      "GET /blog/[slug] ! 500",
      "  getServerSideProps /blog/[slug] !",
      "  render route (pages) /_error",
      "  resolve page components",
      "  resolve page components",
      "  resolve page components",
      "  resolve page components",
    ],
  },
  {
    what: "a page of pages/ that fails",
    app: "hybrid",
    path: "/broken",
    tree: [
      "GET /broken ! 500",
      "  getServerSideProps /broken",
      "  render route (pages) /_error",
      "  render route (pages) /broken !",
      "  resolve page components",
      "  resolve page components",
      "  resolve page components",
      "  resolve page components",
    ],
  },
  {
    what: "a page of pages/ that was made in the build",
    app: "hybrid",
    path: "/shop/a/b",
    tree: ["GET /shop/[...path] 200", "  resolve page components"],
  },
  {
    what: "a page of pages/ at the edge",
    app: "hybrid",
    path: "/edge/fine",
    tree: ["GET /edge/[what] 200", "  start response"],
  },
  {
    what: "an API route that fails",
    app: "hybrid",
    path: "/api/fail/1",
    tree: ["GET /api/fail/[id] ! 500", "  executing api route (pages) /api/fail/[id] !"],
  },
  {
    what: "an API route at the edge",
    app: "hybrid",
    path: "/api/edge/1",
    tree: ["GET /api/edge/[id] 200", "  start response"],
  },
]

let collector: RecordingCollector
const apps = new Map<string, AppUnderTest>()

beforeAll(async () => {
  collector = await new RecordingCollector().listen()
  const environment = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  }
  for (const name of ["server", "hybrid"]) apps.set(name, await startApp(name, { environment }))
})

afterAll(async () => {
  for (const app of apps.values()) await app.stop()
  await collector?.close()
})

/** Next loads and prepares a module on its first request only. */
const isLoading = ({ name }: RecordedSpan) => /^(?:load|prepare) /.test(name)

/** The spans below `parent`, sorted by name, without those that load code. */
function treeOf(spans: readonly RecordedSpan[], parent: string | undefined, indent = ""): string[] {
  return spans
    .filter((span) => span.parentSpanId === parent && !isLoading(span))
    .toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)))
    .flatMap(({ name, spanId, status, attributes }) => {
      const code = attributes.get("http.status_code")
      const line = [name, ...(status.code === "error" ? ["!"] : []), ...(code === undefined ? [] : [String(code)])]
      return [`${indent}${line.join(" ")}`, ...treeOf(spans, spanId, `${indent}  `)]
    })
}

type RecordedSpan = ReturnType<RecordingCollector["spans"]>[number]

describe.each([
  ["without a caller's trace", undefined],
  ["with a caller's trace", "1".repeat(16)],
])("a request %s makes one trace", (_what, caller) => {
  test.each(CASES)("of $what", async ({ app, path, headers, tree }) => {
    collector.clear()
    const traceId = randomBytes(16).toString("hex")
    const traceparent = caller === undefined ? {} : { traceparent: `00-${traceId}-${caller}-01` }
    await ask(apps.get(app)!.origin, path, { headers: { ...headers, ...traceparent, connection: "close" } })
    const { pathname } = new URL(path, "http://localhost")
    const isRoot = (span: RecordedSpan) =>
      span.parentSpanId === caller && String(span.attributes.get("http.target")).startsWith(pathname)
    const roots = () => collector.spans().filter(isRoot)
    const found = () =>
      treeOf(
        collector.spans().filter((span) => span.traceId === roots()[0]?.traceId),
        caller,
      )
    await waitFor("its spans", () => found().length >= tree.length).catch(() => undefined)
    expect(found()).toEqual(tree)
    expect(roots()).toHaveLength(1)
    expect(roots()[0]!.kind).toBe("server")
    // A page that Next looks for and does not find is no failure.
    expect(collector.spans().filter((span) => isLoading(span) && span.status.code === "error")).toEqual([])
    if (caller !== undefined) expect(roots()[0]!.traceId).toBe(traceId)
  })
})
