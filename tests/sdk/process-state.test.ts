import { readFileSync } from "node:fs"
import { describe, expect, test, vi } from "vitest"
import { globalNames, moduleState } from "#tests/architecture/module-state.ts"
import { sourceFilesBelow } from "#tests/support/source-files.ts"

/** All module-level state of the SDK. A bundler may copy any of these modules. */
const ALLOWED = [
  // On the global object, because all copies in a process share it.
  "otel/sdk/process-state.ts: `pagespan.${name}`",
  // Global names of others, which the SDK only reads.
  'otel/sdk/server/existing-sdk.ts: "opentelemetry.js.api.1"',
  'otel/sdk/server/serverless.ts: "@next/request-context"',
  'otel/sdk/server/serverless.ts: "@vercel/request-context"',
  'otel/sdk/server/next/work-stores.ts: "next.server.manifests"',
  'otel/sdk/server/next/cache-spans.ts: "@next/cache-handlers-map"',
  // Caches by identity of a span, a resource or a client: two copies only repeat work.
  "otel/sdk/sentry/client-reports.ts: expectedDrops",
  "otel/sdk/sentry/sanitize-span.ts: sanitizedSpans",
  "otel/sdk/sentry/sanitize-span.ts: sanitizedViews",
  "otel/sdk/sentry/sanitize-span.ts: sanitizedResources",
  "otel/sdk/server/local-span-processor.ts: resourceRecords",
  // Made of the build's manifest, once: two copies only repeat work.
  "otel/sdk/routes/route-of-file.ts: served",
  "otel/sdk/routes/served-paths.ts: matcher",
  // A cache by text, with a bound.
  "otel/sdk/sentry/sanitize-span.ts: clean",
  // What the one call of `register()` in a process watches.
  "otel/sdk/server/next/abandoned-responses.ts: exchanges",
  "otel/sdk/server/next/cache-spans.ts: watched",
  // A page is one document.
  "otel/sdk/browser/clock.ts: origins",
  // What all copies of OpenTelemetry's API in a page share, and a constant.
  'otel/sdk/browser/api/registrations.ts: "opentelemetry.js.api.1"',
  'otel/sdk/browser/api/contexts.ts: "OpenTelemetry Context Key SPAN"',
  'otel/sdk/browser/api/contexts.ts: "OpenTelemetry SDK Context Key SUPPRESS_TRACING"',
  'otel/sdk/browser/development.ts: "pagespan.observed"',
  'otel/sdk/browser/page.ts: "pagespan.page"',
  'otel/sdk/browser/page.ts: "pagespan.instrumentations"',
  "otel/sdk/browser/own-scripts.ts: loads",
  "otel/sdk/browser/errors/captured-by-hand.ts: captures",
  "otel/sdk/browser/errors/page-session.ts: isRecording",
]

/** Names on the global object in the other products: one file of the inspector, the umask, and state of test runs. */
const OUTSIDE_THE_SDK = [
  'otel/inspector/process-state.ts: "pagespan.create-inspector"',
  'otel/inspector/process-state.ts: "pagespan.directory-locks"',
  'otel/inspector/process-state.ts: "pagespan.inspector"',
  'otel/inspector/process-state.ts: "pagespan.uncaught"',
  'otel/protocol/private-files.ts: "pagespan.umask"',
  'otel/protocol/secret.ts: "nodejs.util.inspect.custom"',
  'otel/testing/active-attempt.ts: "pagespan.test-attempts"',
  'otel/testing/node-requests.ts: "pagespan.test-origins"',
  "otel/testing/playwright-page.ts: name",
  'otel/testing/vitest-setup.ts: "opentelemetry.js.api.1"',
  'otel/testing/vitest-setup.ts: "pagespan.test-assertions"',
]

describe("the state of a process", () => {
  test("is declared in one file, but for caches and the state of a page", () => {
    const entries = sourceFilesBelow("otel").filter((file) => !file.slice("otel/".length).includes("/"))
    const found = moduleState([...sourceFilesBelow("otel/sdk"), ...entries])
    expect(found.toSorted()).toEqual(ALLOWED.toSorted())
  })

  test("has no other name on the global object, in any product", () => {
    const withNames = (file: string) => globalNames(readFileSync(file, "utf8")).map((name) => `${file}: ${name}`)
    const found = [...sourceFilesBelow("otel"), ...sourceFilesBelow("app")].flatMap(withNames)
    expect(found.filter((each) => !ALLOWED.includes(each)).toSorted()).toEqual(OUTSIDE_THE_SDK)
  })

  test.each([
    ["let count = 0", "count"],
    ["export let count: number | undefined", "count"],
    ["const seen = new Set<string>()", "seen"],
    ["const seen: Map<string, number> = new Map()", "seen"],
    ["const all: string[] = []", "all"],
    [`const KEY = Symbol.for("pagespan.other")`, `"pagespan.other"`],
  ])("is found in %s", (line, name) => {
    expect(moduleState(["a.ts"], () => line)).toEqual([`a.ts: ${name}`])
  })

  test.each(["const NAMES: ReadonlySet<string> = new Set()", "  let inner = 0", "const LIMIT = 5"])(
    "is not found in %s",
    (line) => expect(moduleState(["a.ts"], () => line)).toEqual([]),
  )

  test("is shared by two copies of a module, as Next's bundles of instrumentation and routes are", async () => {
    const instrumentation = await import("#otel/sdk/sentry/sanitize-attributes.ts")
    vi.resetModules()
    const route = await import("#otel/sdk/sentry/sanitize-attributes.ts")
    expect(route).not.toBe(instrumentation)
    instrumentation.setRecordedHeaders(["x-request-id"])
    const { attributes } = route.sanitizeAttributes({ "http.request.header.x-request-id": ["7"] })
    expect(attributes).toEqual({ "http.request.header.x-request-id": ["7"] })
  })
})
