import { join } from "node:path"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { LiveFeed, type LiveSubscription } from "#otel/inspector/live/live-feed.ts"
import { WatchMonitor } from "#otel/inspector/live/watch-monitor.ts"
import { QueryCache } from "#otel/inspector/queries/query-cache.ts"
import { QueryService } from "#otel/inspector/queries/query-service.ts"
import type { Watch } from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import type { WatchState } from "#otel/inspector/queries/saved-filters/watch-state.ts"
import { RecentTraceViews } from "#otel/inspector/queries/trace/trace-view.ts"
import { RunRegistry } from "#otel/inspector/run-registry.ts"
import { SavedFilters } from "#otel/inspector/saved-filters.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { ago, plus, service, span } from "#tests/inspector/store/spans.ts"
import { storeOfFile } from "#tests/inspector/store/stores.ts"

const store = storeOfFile()
const failed = { code: "error", message: "" } as const
const lasting = (startTime: ReturnType<typeof ago>, ms: number) => ({
  startTime,
  endTime: plus(startTime, BigInt(ms) * 1_000_000n),
})

/** Four traces of `shop` in the last minute, one of them failed and one slow, an old one, and one of the inspector. */
beforeAll(() =>
  store().insertSpans(
    [
      span(1, 1, lasting(ago(40_000), 10)),
      span(2, 2, lasting(ago(30_000), 10)),
      span(3, 3, { ...lasting(ago(20_000), 10), status: failed }),
      span(4, 4, lasting(ago(10_000), 900)),
      span(5, 5, lasting(ago(3_600_000), 5_000)),
      span(6, 6, { ...lasting(ago(10_000), 3_000), resource: service("pagespan") }),
    ],
    "watched",
  ),
)

/** A monitor on the store of the file, with the queries that it ran. */
async function monitor(intervalMs = 20) {
  const queried: number[] = []
  const runs = new RunRegistry(store())
  const queries = new QueryService({
    reader: (signal) => (signal === undefined ? store() : store().withSignal(signal)),
    runs,
    cache: new QueryCache(),
    recentViews: new RecentTraceViews(),
    sourceMaps: undefined,
  })
  const figures = queries.traceFigures
  queries.traceFigures = (scope) => {
    queried.push(Date.now())
    return figures(scope)
  }
  const feed = new LiveFeed()
  const filters = new SavedFilters(join(await temporaryDirectory(), "saved-filters.json"))
  const watches = new WatchMonitor({
    feed,
    filters,
    queries,
    internalServices: ["pagespan"],
    runs: runs.lookup,
    intervalMs,
  })
  onTestFinished(() => {
    watches.close()
    feed.close()
  })
  const watch = (name: string, rule: Watch, q = "service:shop") =>
    filters.save({ name, screen: "traces", parameters: { q }, watch: rule })
  return { feed, filters, watch, queried }
}

async function statesOf(subscription: LiveSubscription): Promise<readonly WatchState[]> {
  let states: readonly WatchState[] | undefined
  await waitFor("states", async () => {
    states = (await subscription.next(1_000))?.watches
    return states !== undefined
  })
  return states ?? []
}

describe("watches", () => {
  it("measure the traces of their window, without the inspector's own, and trip above their threshold", async () => {
    const { feed, watch } = await monitor()
    await watch("1 count", { measure: "count", above: 3, window: "5m" }, "")
    await watch("2 count", { measure: "count", above: 4, window: "5m" })
    await watch("3 failed", { measure: "failed", above: 24.9, window: "5m" })
    await watch("4 p95", { measure: "p95", above: 800, window: "5m" })
    await watch("5 p95 of nothing", { measure: "p95", above: 0, window: "5m" }, "service:none")
    const states = await statesOf(feed.subscribe(undefined, "only"))
    expect(states.map(({ name, value, state }) => [name, value, state])).toEqual([
      ["1 count", 4, "tripped"],
      ["2 count", 4, "ok"],
      ["3 failed", 25, "tripped"],
      ["4 p95", 900, "tripped"],
      ["5 p95 of nothing", null, "ok"],
    ])
    expect(states[3]?.address).toBe("/traces?q=service%3Ashop&since=5m")
    expect(Date.parse(states[3]?.since ?? "")).toBeLessThanOrEqual(Date.now())
  })

  it("have a value also for a filter of as many terms and characters as one may have", async () => {
    const { feed, watch } = await monitor()
    const terms = Array.from({ length: 60 }, (_, term) => `-name:other${term}`).join(" ")
    await watch("1 terms", { measure: "count", above: 3, window: "5m" }, terms)
    await watch("2 characters", { measure: "count", above: 3, window: "5m" }, `-name:${"x".repeat(1_994)}`)
    const states = await statesOf(feed.subscribe(undefined, "only"))
    expect(states.map(({ name, value, state }) => [name, value, state])).toEqual([
      ["1 terms", 4, "tripped"],
      ["2 characters", 4, "tripped"],
    ])
  })

  it("are measured once for all screens, only while one is open, and not for other readers of the feed", async () => {
    const { feed, watch, queried } = await monitor()
    await watch("shop", { measure: "count", above: 3, window: "5m" })
    const tail = feed.subscribe()
    expect(queried).toEqual([])
    const screens = [feed.subscribe(undefined, "also"), feed.subscribe(undefined, "also")]
    const [first, second] = await Promise.all(screens.map(statesOf))
    expect(second).toEqual(first)
    expect(queried).toHaveLength(1)
    // A third screen has the states at once, from the same round.
    expect(await statesOf(feed.subscribe(undefined, "only"))).toEqual(first)
    await waitFor("another round", () => queried.length > 2)
    expect(await tail.next(1)).toBeUndefined()
    for (const screen of screens) screen.close()
  })

  it("stop with the last screen", async () => {
    const { feed, watch, queried } = await monitor()
    await watch("shop", { measure: "count", above: 3, window: "5m" })
    const screen = feed.subscribe(undefined, "also")
    await statesOf(screen)
    screen.close()
    await waitFor("the end", async () => {
      const before = queried.length
      await new Promise((later) => setTimeout(later, 100))
      return queried.length === before
    })
    // The next screen gets no states that are out of date: it waits for a new round.
    const before = queried.length
    await statesOf(feed.subscribe(undefined, "also"))
    expect(queried.length).toBeGreaterThan(before)
  })

  it("publish a change of a filter at once, and keep the time of a state that lasts", async () => {
    const { feed, filters, watch } = await monitor(60_000)
    const { id } = await watch("shop", { measure: "count", above: 3, window: "5m" })
    const screen = feed.subscribe(undefined, "also")
    const [before] = await statesOf(screen)
    await filters.save({
      id,
      name: "renamed",
      screen: "traces",
      parameters: { q: "service:shop" },
      watch: { measure: "count", above: 2, window: "5m" },
    })
    const [after] = await statesOf(screen)
    expect(after).toMatchObject({ name: "renamed", above: 2, state: "tripped", since: before?.since })
    await filters.remove(id)
    expect(await statesOf(screen)).toEqual([])
  })
})
