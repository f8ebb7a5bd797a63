import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { sleep } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "../app-under-test.ts"
import { holdSdk } from "../recorder/sdk-chunk.ts"
import { endRoot, eventsOf, open, rootsOf, storyOf, visit } from "../visit.ts"
import { addressOf, type Build, PLAIN } from "./builds.ts"
import { historyWalks } from "./history-walks.ts"
import { loads } from "./loads.ts"
import { races } from "./races.ts"
import { samePage } from "./same-page.ts"
import { CHROMIUM, type TestedBrowser } from "#tests/support/browsers/tested-browsers.ts"
import { type Walk, walks } from "./walks.ts"

/** A chunk that is late arrives in the middle of most walks. */
const LATE_MS = 700

/** Every way in which a page can load or change, tested on one build, in one browser. */
export function testCases(build: Build, tested: TestedBrowser = CHROMIUM): void {
  let browser: Browser
  let sentry: RecordingSentry
  let app: AppUnderTest
  const urlOf = (path: string) => `${app.origin}${addressOf(build, path)}`
  const arrives = () => (build.sdk === "never" ? Promise.resolve(false) : sleep(LATE_MS).then(() => true))
  const prepare = async (profile: BrowserContext) => {
    if (build.sdk !== undefined) await holdSdk(profile, arrives)
  }

  /** The root of each load, by its path. */
  const loaded = new Map<string, Payload>()

  /** One visitor loads the paths one after the other. */
  async function loadAll(paths: readonly string[]): Promise<void> {
    const page = await visit(browser, urlOf(paths[0]!), prepare)
    for (const path of paths.slice(1)) {
      await endRoot(page)
      await open(page, urlOf(path))
    }
    const roots = await rootsOf(page, sentry, paths.length, tested.mayRepeat)
    expect(roots).toHaveLength(paths.length)
    paths.forEach((path, index) => loaded.set(path, roots[index]!))
  }

  beforeAll(async () => {
    browser = await tested.launch()
    sentry = await new RecordingSentry().listen()
    const environment = { SENTRY_DSN: sentry.dsn, SENTRY_RELEASE: "shop@1.2.3" }
    app = await startApp("routes", { environment, variant: build.variant })
    const paths = loads.map(([, path]) => path)
    const { atOnce } = tested
    const shares = Array.from({ length: atOnce }, (_, first) => paths.filter((_, index) => index % atOnce === first))
    await Promise.all(shares.map(loadAll))
  })

  afterAll(async () => {
    await app?.stop()
    await browser?.close()
    await sentry?.close()
  })

  test.each(loads)("a hard load of %s is one pageload named by its route: %s -> %s", (_what, path, name) => {
    expect(storyOf([loaded.get(path)!])).toEqual([`pageload ${name}`])
  })

  test("a root has the URL path as the browser has it", () => {
    const roots = ["/static", "/items/new%20", "/items/%E6%97%A5"].map((path) => [path, loaded.get(path)!] as const)
    for (const [path, root] of roots) expect(root["contexts"].trace.data["url.path"]).toBe(addressOf(build, path))
  })

  test.each([
    ["/static", "route"],
    ["/", "route"],
    ["/items/1", "route"],
    ["/nest/x/y", "route"],
    ["/isr/fresh", "route"],
  ])("a load of %s is a complete transaction of Sentry's, with the source %s", (path, source) => {
    const { transaction, transaction_info, contexts, ...event } = loaded.get(path)!
    expect([event["type"], event["platform"]]).toEqual(["transaction", "javascript"])
    expect(transaction_info).toEqual({ source })
    expect(contexts.trace).toMatchObject({
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      op: "pageload",
      origin: "auto.pageload.pagespan",
      status: "ok",
      data: {
        "sentry.op": "pageload",
        "sentry.origin": "auto.pageload.pagespan",
        "sentry.source": source,
        "http.route": transaction,
        "url.template": transaction,
      },
    })
    expect(event["timestamp"]).toBeGreaterThan(event["start_timestamp"])
  })

  test.runIf(build.joinsServer)(
    "a page and the server that rendered it have the same release and environment, on one trace",
    async () => {
      const { contexts, ...page } = loaded.get("/items/1")!
      const server = await sentry.waitForTransaction(
        "of the server",
        (event) => event["platform"] === "node" && event["contexts"].trace.trace_id === contexts.trace.trace_id,
      )
      expect(server["transaction"]).toBe("GET /items/[id]")
      expect(page["request"]).toEqual({
        url: urlOf("/items/1"),
        headers: { "User-Agent": expect.stringContaining(tested.agent) },
      })
      for (const side of [page, server])
        expect(side).toMatchObject({ release: "shop@1.2.3", environment: "production" })
    },
  )

  const isPossible = ({ needsIdle, needsNavigationApi }: Walk) =>
    !(needsIdle && build.sdk === "never") && !(needsNavigationApi && !tested.hasNavigationApi)
  const hasRaces = build === PLAIN && tested === CHROMIUM
  const possible = [...walks, ...historyWalks, ...samePage, ...(hasRaces ? races : [])].filter(isPossible)
  test.each(possible)("$what, from $from", async ({ from, walk, story, says = {} }) => {
    const page = await visit(browser, urlOf(from), prepare)
    onTestFailed(() => console.info(eventsOf(page), app.output()))
    await walk(page, build)
    const roots = await rootsOf(page, sentry, story.length, tested.mayRepeat)
    expect(storyOf(roots)).toEqual(story)
    for (const [index, data] of Object.entries(says))
      expect(roots[Number(index)]!["contexts"].trace.data).toMatchObject(data)
  })
}
