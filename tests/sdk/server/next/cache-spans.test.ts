import { beforeAll, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { type CachedApp, cachedApp, type RecordedSpan } from "./cached-app.ts"

const running = cachedApp()
let app: CachedApp["app"]
let collector: CachedApp["collector"]
beforeAll(() => {
  ;({ app, collector } = running())
})

/** Requests the page, and waits until its trace has that many spans of caches. */
async function spansOf(path: string, count: number): Promise<RecordedSpan[]> {
  const before = new Set(collector.spans().map(({ traceId }) => traceId))
  await (await fetch(`${app.origin}${path}`)).text()
  const root = await collector.waitForSpan(
    `of ${path}`,
    ({ traceId, attributes }) => attributes.get("http.target") === path && !before.has(traceId),
  )
  const spans = () => collector.spans().filter(({ traceId }) => traceId === root.traceId)
  await waitFor(`spans of caches of ${path}`, () => outline(spans()).length >= count)
  return spans()
}

/** The spans of caches and of what a cached function does, as sorted lines: name and outcome, and the name of the parent. */
function outline(spans: readonly RecordedSpan[]): string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]))
  return spans
    .filter(({ name }) => /^(?:use cache|generate|read\.price)/.test(name))
    .map(({ name, parentSpanId, attributes }) => {
      const outcome = attributes.get("pagespan.cache.outcome")
      return [name, ...(outcome === undefined ? [] : [outcome]), "<", names.get(parentSpanId!)].join(" ")
    })
    .toSorted()
}

/** `readPrice` and `getPrice`, whose names Next's compiler drops. */
const INNER = "tests/pages/routes/app/prices/get-price.ts#0"
const OUTER = "tests/pages/routes/app/prices/get-price.ts#1"
const PAGE = "render route (app) /prices/[sku]"
const STALE = "tests/pages/routes/app/stale/[how]/page.cached.tsx#0"

test("use cache shows as a miss that generates, then as a hit, then as a revalidation", async () => {
  const first = await spansOf("/prices/secret-sku", 5)
  expect(outline(first)).toEqual([
    `generate ${INNER} miss < generate ${OUTER}`,
    `generate ${OUTER} miss < ${PAGE}`,
    `read.price < generate ${INNER}`,
    `use cache ${INNER} miss < generate ${OUTER}`,
    `use cache ${OUTER} miss < ${PAGE}`,
  ])
  const read = first.find(({ name }) => name === `use cache ${OUTER}`)
  expect(Object.fromEntries(read!.attributes)).toMatchObject({
    "cache.hit": false,
    "code.file.path": expect.stringMatching(/app\/prices\/get-price\.ts$/),
    "pagespan.cache.kind": "default",
    "sentry.op": "cache.get",
  })

  const second = await spansOf("/prices/secret-sku", 1)
  expect(outline(second)).toEqual([`use cache ${OUTER} hit < ${PAGE}`])

  await fetch(`${app.origin}/prices/stale`, { method: "POST" })
  const third = await spansOf("/prices/secret-sku", 5)
  expect(outline(third)).toEqual([
    `generate ${INNER} miss < generate ${OUTER}`,
    `generate ${OUTER} revalidation < ${PAGE}`,
    `read.price < generate ${INNER}`,
    `use cache ${INNER} revalidation < generate ${OUTER}`,
    `use cache ${OUTER} revalidation < ${PAGE}`,
  ])
})

test("a page that is made again in the background is on the trace of the request that found it stale, under its route", async () => {
  const path = "/stale/fine"
  const PAGE_AGAIN = "prerender route (app) /stale/[how]"
  const made = async () => /data-made="(\d+)"/.exec(await (await fetch(`${app.origin}${path}`)).text())![1]
  // That of the build, or of an earlier run.
  const before = await made()
  await waitFor("a newer page", async () => (await made()) !== before)
  const again = () => collector.spans().filter(({ name }) => name === PAGE_AGAIN)
  await waitFor("two traces in which it is made again", async () => {
    await made()
    return new Set(again().map(({ traceId }) => traceId)).size >= 2
  })
  for (const { traceId, parentSpanId } of again().slice(0, 2)) {
    const own = collector.spans().filter((span) => span.traceId === traceId)
    const root = own.find((span) => span.parentSpanId === undefined)
    expect([root?.name, root?.spanId]).toEqual(["GET /stale/[how]", parentSpanId])
    expect(outline(own)).toEqual([`generate ${STALE} miss < ${PAGE_AGAIN}`, `use cache ${STALE} miss < ${PAGE_AGAIN}`])
  }
})

test("a function that fails has a failed span", async () => {
  const spans = await spansOf("/prices/broken", 4)
  expect(spans.filter(({ name }) => name.startsWith("generate")).map(({ status }) => status.code)).toEqual([
    "error",
    "error",
  ])
})

test("a key shows as a digest, without the arguments of the function", async () => {
  const spans = await spansOf("/prices/another-secret", 5)
  const keys = spans.flatMap(({ attributes }) => attributes.get("cache.key") ?? [])
  expect(keys.length).toBeGreaterThan(1)
  for (const key of keys) expect(key).toMatch(/^[\w./#-]+:[0-9a-f]{8}$/)
  const caches = spans.filter(({ name }) => /^(?:use cache|generate)/.test(name))
  expect(JSON.stringify(caches.map(({ name, attributes }) => [name, ...attributes]))).not.toContain("another-secret")
})
