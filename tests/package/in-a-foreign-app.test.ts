import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { filesBelow } from "#otel/cli/package/library.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { TRACE_ELEMENTS, traceElements } from "#tests/support/trace-elements.ts"
import { ForeignApp, NEXT_PACKAGES, SENTRY_PACKAGES } from "./foreign-app.ts"
import { lockedPackages } from "./locked-packages.ts"

let browser: Browser
let collector: RecordingCollector

beforeAll(async () => {
  browser = await launchChromium()
  collector = await new RecordingCollector().listen()
})

afterAll(async () => {
  await browser?.close()
  await collector?.close()
})

describe("a fresh app with src/, basePath, cacheComponents and standalone output, without Sentry", () => {
  let app: ForeignApp
  let origin: string

  beforeAll(async () => {
    app = await ForeignApp.create("fresh", NEXT_PACKAGES)
    await app.run("next", ["build"], { NODE_ENV: "production" })
    const standalone = join(app.directory, ".next/standalone")
    cpSync(join(app.directory, ".next/static"), join(standalone, ".next/static"), { recursive: true })
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    app.spawn("node", [join(standalone, "server.js")], {
      NODE_ENV: "production",
      HOSTNAME: "127.0.0.1",
      PORT: String(port),
      SENTRY_DSN: "https://key@sentry.invalid/1",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    })
    await app.answers(`${origin}/shop`)
  })

  afterAll(() => app?.remove())

  test("sends page and server spans of one trace to the collector, named by their routes", async () => {
    const page = await browser.newPage()
    await page.goto(`${origin}/shop`)
    await page.getByRole("link", { name: "Seventh item" }).click()
    await page.getByRole("heading", { name: "Item 7" }).waitFor()
    const pageload = await collector.waitForSpan(
      "of the page load",
      ({ name, parentSpanId }) => name === "/" && parentSpanId === undefined,
    )
    expect(pageload.resource.attributes.get("service.name")).toBe("shop-browser")
    const navigation = await collector.waitForSpan("of the navigation", ({ name }) => name === "/items/[id]")
    await collector.waitForSpan(
      "of the navigation's request",
      ({ traceId, resource, attributes }) =>
        traceId === navigation.traceId &&
        resource.attributes.get("service.name") === "shop" &&
        attributes.get("http.route") === "/items/[id]",
    )
    await page.close()
  })

  test("logs one line that Sentry is not installed, and sends no DSN to pages", async () => {
    const lines = app.output.split("\n").filter((line) => line.includes("pagespan:"))
    expect(lines).toEqual([
      "pagespan: SENTRY_DSN is set and Sentry's packages were not all found by the build: spans go by OTLP only. Install @sentry/nextjs 10.78 or 11.",
    ])
    const answer = await fetch(`${origin}/shop/items/7`)
    expect(await answer.text()).not.toContain("sentry.invalid")
  })
})

describe.each([
  { version: "10.78", bundler: "Turbopack", buildArguments: [], locked: "sentry-10" },
  { version: "11", bundler: "webpack", buildArguments: ["--webpack"], locked: undefined },
])("an app that traces with @sentry/nextjs $version already", ({ bundler, buildArguments, locked, version }) => {
  let app: ForeignApp
  let sentry: RecordingSentry
  let environment: Record<string, string>

  beforeAll(async () => {
    sentry = await new RecordingSentry().listen()
    // Pagespan finds the DSN in the app's own Sentry.init.
    environment = { NEXT_PUBLIC_SENTRY_DSN: sentry.dsn }
    app =
      locked === undefined
        ? await ForeignApp.create("with-sentry", [...NEXT_PACKAGES, ...SENTRY_PACKAGES])
        : await ForeignApp.create("with-sentry", NEXT_PACKAGES, await lockedPackages(locked))
  })

  afterAll(async () => {
    await app?.remove()
    await sentry?.close()
  })

  test("adopts Pagespan with init, and a second init changes nothing", async () => {
    const output = await app.run("pagespan", ["init", "--yes"])
    expect(output).toContain("+export default withPagespan(withSentryConfig({}")
    expect(output).toContain("-  tracesSampleRate: 1,")
    expect(await app.run("pagespan", ["init", "--yes"])).toBe("Nothing to change\n")
  })

  test(
    `built by ${bundler}, reports each load, navigation and request once, and errors through its own beforeSend`,
    { timeout: 600_000 },
    async () => {
      const built = await app.run("next", ["build", ...buildArguments], { ...environment, NODE_ENV: "production" })
      // Sentry's build asks for `onRouterTransitionStart` with these words.
      expect(built).not.toContain("ACTION REQUIRED")
      const port = await freePort()
      const origin = `http://127.0.0.1:${port}`
      app.spawn("next", ["start", "--port", String(port), "--hostname", "127.0.0.1"], {
        ...environment,
        NODE_ENV: "production",
      })
      await app.answers(`${origin}/items/1`)
      const page = await browser.newPage()
      await page.goto(origin)
      await sentry.waitForTransaction("of the load", pageload)
      await page.getByRole("button", { name: "Fail" }).click()
      await page.getByRole("button", { name: "Capture" }).click()
      const requested = page.waitForRequest((request) => request.headers()["rsc"] === "1")
      await page.getByRole("link", { name: "Seventh item" }).click()
      const headers = (await requested).headers()
      await page.getByRole("heading", { name: "Item 7" }).waitFor()
      await page.evaluate(() => void Promise.reject(new Error("after the navigation")))
      await fetch(`${origin}/broken`)
      await fetch(`${origin}/items/7/said?from=test`)
      const ofPage = await sentry.waitForError(
        "of the button",
        (event) => messageOf(event) === "a button failed",
        20_000,
      )
      const ofServer = await sentry.waitForError("of the page", (event) => messageOf(event) === "a page failed")
      const byHand = await sentry.waitForError("by hand", (event) => messageOf(event) === "captured by hand")
      const ofHandler = await sentry.waitForError("of the handler", (event) => messageOf(event) === "a handler said")
      const later = await sentry.waitForError("later", (event) => messageOf(event) === "after the navigation")
      const navigation = await sentry.waitForTransaction(
        "of the navigation",
        ({ transaction }) => transaction === "/items/[id]",
      )
      await sentry.waitForTransaction(
        "of the navigation's request",
        ({ platform, contexts }) =>
          platform === "node" && contexts.trace.trace_id === navigation["contexts"].trace.trace_id,
      )
      await page.close()

      const loads = sentry.transactions().filter(({ contexts }) => contexts.trace.op === "pageload")
      expect(loads.map(({ transaction }) => transaction)).toEqual(["/"])
      const { trace_id } = loads[0]!["contexts"].trace
      expect(ofPage["contexts"].trace.trace_id).toBe(trace_id)
      // The app's own client is on the traces and routes of the page, and the page alone writes headers.
      expect(byHand).toMatchObject({ transaction: "/", user: { id: "u42" }, contexts: { trace: { trace_id } } })
      // The app's own client sends what nothing caught: with its breadcrumbs, replay and release, and a crashed session.
      const replayId = expect.stringMatching(/^[0-9a-f]{32}$/)
      expect(ofPage).toMatchObject({ release: "desk@1", transaction: "/", tags: { replayId } })
      expect(ofPage["breadcrumbs"].map(({ category }: Payload) => category)).toContain("ui.click")
      expect(loads[0]!["tags"]).toMatchObject({ replayId: ofPage["tags"].replayId })
      const statuses = sentry.items("session").map(({ payload }) => payload["status"])
      expect(statuses).toContain(version === "11" ? "unhandled" : "crashed")
      const navigated = navigation["contexts"].trace.trace_id as string
      expect(later).toMatchObject({ transaction: "/items/[id]", contexts: { trace: { trace_id: navigated } } })
      for (const { header, items } of sentry.envelopes())
        for (const { payload } of items.filter((item) => item.header.type === "event"))
          expect(header["trace"]?.trace_id).toBe(payload["contexts"].trace.trace_id)
      expect(headers["traceparent"]).toContain(navigated)
      expect(headers["sentry-trace"]).toMatch(new RegExp(`^${navigated}-[0-9a-f]{16}-1$`))
      expect(headers["baggage"]?.match(/sentry-trace_id=/g)).toHaveLength(1)
      expect(headers["baggage"]).toContain(`sentry-trace_id=${navigated}`)
      const requests = sentry
        .transactions()
        .filter(({ transaction, contexts }) => transaction === "GET /" && contexts.trace.trace_id === trace_id)
      expect(requests).toHaveLength(1)
      expect(ofServer["tags"]).toMatchObject({ team: "desk" })
      // The app's own client would name it by its URL.
      expect(ofHandler["transaction"]).toBe("GET /items/[id]/said")
      const messages = [
        "a button failed",
        "a handler said",
        "a page failed",
        "after the navigation",
        "captured by hand",
      ]
      expect(sentry.errors().map(messageOf).sort()).toEqual(messages)
      expect(app.output).not.toContain("pagespan:")
      const versions = [...sentry.transactions(), ...sentry.errors()].map(({ sdk }) => sdk.version as string)
      expect(versions.filter((each) => !each.startsWith(`${version}.`))).toEqual([])
      await app.stop()
    },
  )

  // Development does not depend on the version: one of the two tests it.
  if (locked !== undefined) return

  describe("in development", () => {
    let origin: string

    beforeAll(async () => {
      undo(app, "app/layout.tsx", "<RouteObserver />", "")
      undo(app, "sentry.server.config.ts", "Sentry.init({", "Sentry.init({ tracesSampleRate: 1,")
      undo(app, "instrumentation-client.ts", "Sentry.init({", "Sentry.init({ tracesSampleRate: 1,")
      const port = await freePort()
      origin = `http://localhost:${port}`
      app.spawn("next", ["dev", "--port", String(port)], environment)
      await app.answers(`${origin}/items/1`)
    })

    test("warns of configuration mistakes in next dev, and never in a production page", async () => {
      const built = filesBelow(join(app.directory, ".next/static"))
      expect(built.length).toBeGreaterThan(0)
      for (const file of built) expect(readFileSync(file, "utf8")).not.toContain("(npx pagespan init)")
      const page = await browser.newPage()
      const said: string[] = []
      page.on("console", (message) => said.push(message.text()))
      await page.goto(`${origin}/items/1`)
      await expect
        .poll(() => said.filter((line) => line.startsWith("pagespan: ")))
        .toEqual([
          "pagespan: Sentry's own tracing is on too: remove tracesSampleRate from Sentry.init in instrumentation-client (npx pagespan init)",
          "pagespan: no <RouteObserver/> in this root layout: routes of pages that are left early are guessed from URLs (npx pagespan init)",
        ])
      expect(app.output).toContain(
        "pagespan: Sentry's own tracing is on too: take tracesSampleRate and tracesSampler out",
      )
      // Next's warning for parameters that are read too early, which the tracer must not do.
      expect(app.output).not.toContain("should be awaited")
      await page.close()
    })

    test("gives each load of a page in next dev each element of its trace once, in the head", async () => {
      const loads = [await traceElements(`${origin}/items/1`), await traceElements(`${origin}/items/1`)]
      for (const { names, isInHead } of loads) expect([names, isInHead]).toEqual([TRACE_ELEMENTS, true])
      const [first, second] = loads.map(({ traceparent }) => traceparent)
      expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      expect(second).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      expect(first).not.toBe(second)
    })
  })
})

function pageload({ contexts }: Payload): boolean {
  return contexts.trace.op === "pageload"
}

function messageOf(event: Payload): string {
  return event["exception"].values.at(-1).value
}

/** Reverts one of init's edits. */
function undo(app: ForeignApp, path: string, text: string, replacement: string): void {
  const file = join(app.directory, path)
  const before = readFileSync(file, "utf8")
  expect(before).toContain(text)
  writeFileSync(file, before.replace(text, replacement))
}
