import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { PLAIN } from "../cases/builds.ts"
import { hybridLoads, hybridWalks } from "../cases/hybrid.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { isIdle, rootsOf, route, shows, storyOf, visit } from "../visit.ts"

/** Longer than the chunk takes on a busy machine. */
const CHUNK_MS = 2_000

describe("an app with pages of both routers", () => {
  let recorded: RecordedApp

  beforeAll(async () => {
    recorded = await startRecordedApp("hybrid")
  })

  afterAll(() => recorded?.stop())

  const opened = async (path: string) => {
    const page = await visit(recorded.browser, `${recorded.app.origin}${path}`)
    await isIdle(page)
    // The part for the Pages Router is a chunk of its own, whose arrival nothing reports.
    await page.waitForTimeout(CHUNK_MS)
    return page
  }

  test.each(hybridLoads)("a hard load of %s is named by its route: %s -> %s", async (_what, path, name) => {
    const page = await opened(path)
    expect(storyOf(await rootsOf(page, recorded.sentry, 1))).toEqual([`pageload ${name}`])
  })

  test.each(hybridWalks)("$what, from $from", async ({ from, walk, story }) => {
    const page = await opened(from)
    await walk(page, PLAIN)
    expect(storyOf(await rootsOf(page, recorded.sentry, story.length))).toEqual(story)
  })

  test("a page that the server renders is one trace with it", async () => {
    const page = await opened("/blog/8")
    const [pageload] = await rootsOf(page, recorded.sentry, 1)
    const { trace_id, parent_span_id } = pageload!["contexts"].trace
    const server = await recorded.sentry.waitForTransaction(
      "of the server",
      ({ platform, contexts }) => platform === "node" && contexts.trace.trace_id === trace_id,
    )
    expect(server["transaction"]).toBe("GET /blog/[slug]")
    expect(parent_span_id).toBe(server["contexts"].trace.span_id)
  })

  test("a navigation between pages of pages/ is one trace with the server that made its data", async () => {
    const page = await opened("/")
    await route(page, "push", "/blog/9")
    await shows(page, "blog 9")
    const [, navigation] = await rootsOf(page, recorded.sentry, 2)
    const { trace_id } = navigation!["contexts"].trace
    const server = await recorded.sentry.waitForTransaction(
      "of the server",
      ({ platform, contexts }) => platform === "node" && contexts.trace.trace_id === trace_id,
    )
    expect(server["transaction"]).toBe("GET /blog/[slug]")
    const requests = navigation!["spans"].filter(({ op }: { op: string }) => op === "http.client")
    expect(requests.map(({ span_id }: { span_id: string }) => span_id)).toContain(
      server["contexts"].trace.parent_span_id,
    )
  })
})
