import { describe, expect, test } from "vitest"
import { stepsOf } from "#otel/inspector/queries/list/time-range.ts"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import { error, hex } from "./events.ts"
import { ago, plus, service, span, spanId, traceId } from "./spans.ts"
import { storeOfFile } from "./stores.ts"

const store = storeOfFile()
const MINUTE = 60_000
/** When the first event of the first issue occurred. It is sent twice. */
const FIRST = ago(5 * MINUTE)
const window = () => ({ from: ago(60 * MINUTE), until: ago(-MINUTE) })

const userOf = (id: string) => JSON.stringify({ user: { id } })
const mechanism = (handled: boolean) => [
  { type: "E", value: "", mechanism: { type: "generic", handled }, frames: [], stackText: "" },
]
const idsOf = async (query: object) =>
  (await store().listIssues({ limit: 100, ...query })).issues.map(({ issueId }) => issueId)

describe("issues", () => {
  test("are filtered by text, level and handled state, and counted with all their events", async () => {
    await store().insertErrors(
      [
        error(1, 11, { time: FIRST, value: "card Declined", exceptions: mechanism(false), context: userOf("a") }),
        error(1, 12, { value: "other", level: "fatal", context: userOf("b") }),
        error(1, 13, { value: "other", context: userOf("a"), tags: new Map([["session.id", "s1"]]) }),
        error(2, 21, { value: "100% _x' DROP", exceptions: mechanism(true), release: "shop@2" }),
        error(3, 31, { service: "own", time: ago(30 * MINUTE) }),
      ],
      "chosen",
    )
    expect(await idsOf({ search: "DECLINED" })).toEqual([hex(1)])
    expect(await idsOf({ search: "100% _x' drop" })).toEqual([hex(2)])
    expect(await idsOf({ search: "SHOP@2" })).toEqual([hex(2)])
    expect(await idsOf({ search: "/cart", level: "fatal" })).toEqual([hex(1)])
    expect(await idsOf({ handled: true })).toEqual([hex(2)])
    expect(await idsOf({ handled: false })).toEqual([hex(1)])
    expect(await idsOf({ hidden: ["shop"] })).toEqual([hex(3)])
    const { issues } = await store().listIssues({ limit: 1, search: "declined" })
    expect(issues[0]).toMatchObject({ count: 3, users: 2, sessions: 1, handled: false })
  })

  test("are listed in every order, in pages that contain each one once", async () => {
    for (const order of ["last", "first", "count", "users"] as const) {
      const all = await idsOf({ order })
      const paged: string[] = []
      let after: string | undefined
      do {
        const page = await store().listIssues({ limit: 1, order, after })
        paged.push(...page.issues.map(({ issueId }) => issueId))
        after = page.next
      } while (after !== undefined)
      expect(paged).toEqual(all)
    }
    expect((await idsOf({ order: "count" }))[0]).toBe(hex(1))
    expect((await idsOf({ order: "first" })).at(-1)).toBe(hex(3))
  })

  test("have their events in a window and in the one before it, and are listed by the difference in pages", async () => {
    const events = (issue: number, count: number, agoMs: number) =>
      Array.from({ length: count }, (_, index) =>
        error(issue, issue * 1_000 + agoMs / MINUTE + index * 7, { service: "changing", time: ago(agoMs) }),
      )
    await store().insertErrors(
      [
        ...events(51, 2, 200 * MINUTE),
        ...events(51, 5, 150 * MINUTE),
        ...events(52, 4, 200 * MINUTE),
        ...events(52, 1, 150 * MINUTE),
        ...events(53, 1, 150 * MINUTE),
      ],
      "changing",
    )
    const list = {
      service: "changing",
      order: "change",
      window: { before: ago(240 * MINUTE), from: ago(180 * MINUTE) },
    } as const
    const { issues } = await store().listIssues({ limit: 10, ...list })
    expect(issues.map(({ issueId, count, window: events_ }) => [issueId, count, events_])).toEqual([
      [hex(51), 7, { count: 5, countBefore: 2 }],
      [hex(53), 1, { count: 1, countBefore: 0 }],
      [hex(52), 5, { count: 1, countBefore: 4 }],
    ])
    const first = await store().listIssues({ limit: 2, ...list })
    const rest = await store().listIssues({ limit: 2, after: first.next, ...list })
    expect([first, rest].flatMap((page) => page.issues.map(({ issueId }) => issueId))).toEqual([
      hex(51),
      hex(53),
      hex(52),
    ])
    const ended = { ...list, window: { ...list.window, until: ago(160 * MINUTE) } }
    const windows = (await store().listIssues({ limit: 10, ...ended })).issues.map(({ window: events_ }) => events_)
    expect(windows).toEqual(expect.arrayContaining([{ count: 0, countBefore: 2 }]))
    expect(windows.map((events_) => events_?.count)).toEqual([0, 0, 0])
    expect((await store().listIssues({ limit: 1, service: "changing" })).issues[0]?.window).toBeUndefined()
  })

  test("are stored whatever the names of their users, even if these are truncated within a character", async () => {
    const names = ["\uD800", `${"a".repeat(255)}\u{1F600}`, "\u0000", "'; DROP TABLE pagespan_errors --"]
    await store().insertErrors(
      names.map((id, index) => error(9, 91 + index, { context: userOf(id) })),
      "named",
    )
    expect(await store().readIssue(hex(9))).toMatchObject({ count: 4, users: 4 })
  })

  test("have their events counted by time step", async () => {
    const steps = stepsOf(Date.now() - 60 * MINUTE, Date.now())
    await store().insertErrors([error(1, 11, { time: FIRST, value: "card Declined" })], "chosen again")
    const counts = await store().countEvents([hex(1), hex(3), hex(999)], steps)
    const sum = (issue: number) => counts.get(hex(issue))?.reduce((total, count) => total + count, 0)
    expect([sum(1), sum(3), sum(999)]).toEqual([3, 1, undefined])
    expect(counts.get(hex(1))).toHaveLength(steps.count)
  })
})

describe("the path to a span", () => {
  test("is listed from the root, across services, and starts after a missing parent", async () => {
    const [root, middle] = [
      span(50, 501, { name: "root" }),
      span(50, 502, { name: "middle", parentSpanId: spanId(501), resource: service("api") }),
    ]
    const leaf = span(50, 503, { name: "leaf", parentSpanId: spanId(502), status: { code: "error", message: "" } })
    await store().insertSpans([leaf, root, middle, span(50, 504, { parentSpanId: spanId(599) })], "path")
    const path = await store().readSpanPath(traceId(50), spanId(503))
    expect(path.map(({ name, service: from, failed }) => [name, from, failed])).toEqual([
      ["root", "shop", false],
      ["middle", "api", false],
      ["leaf", "shop", true],
    ])
    expect(path[0]?.duration).toBe(5_000_000n)
    expect(await store().readSpanPath(traceId(50), spanId(504))).toHaveLength(1)
    expect(await store().readSpanPath(traceId(50), spanId(999))).toEqual([])
  })

  test("contains each span once if spans are each other's parents", async () => {
    await store().insertSpans(
      [span(51, 511, { parentSpanId: spanId(512) }), span(51, 512, { parentSpanId: spanId(511) })],
      "circle",
    )
    expect(await store().readSpanPath(traceId(51), spanId(511))).toHaveLength(2)
  })
})

test("the errors of a trace are complete, in order of time, each once", async () => {
  const later = error(60, 602, { time: plus(ago(MINUTE), 1n) })
  await store().insertErrors([later, error(60, 601, { context: userOf("a") })], "of a trace")
  await store().insertErrors([later], "of a trace again")
  const errors = await store().readErrorsOfTrace(traceId(60))
  expect(errors.map(({ eventId }) => eventId)).toEqual([hex(601), hex(602)])
  expect(errors[0]?.context).toBe(userOf("a"))
})

describe("drops", () => {
  const drop = (over: Partial<DropRecord>): DropRecord => ({
    time: ago(MINUTE),
    stage: "ingest",
    sender: "inspector",
    reason: "malformed",
    category: "span",
    count: 1,
    sample: "",
    ...over,
  })

  test("are grouped by stage and reason, with their latest samples, over time", async () => {
    const drops = [
      ...[1, 2, 3, 4].map((n) => drop({ sample: `sample ${n}`, time: plus(ago(MINUTE), BigInt(n)) })),
      drop({ reason: "expired", stage: "store", count: 2 ** 40 }),
      drop({ sample: "too old", time: ago(90 * MINUTE) }),
    ]
    await store().insertDrops(drops, "together")
    await store().insertDrops(drops, "together")
    const steps = stepsOf(Date.now() - 60 * MINUTE, Date.now() + MINUTE)
    const { groups, trend } = await store().overviewDrops(window(), steps)
    expect(groups.map(({ stage, reason, count, samples }) => [stage, reason, count, samples])).toEqual([
      ["store", "expired", 2 ** 40, []],
      ["ingest", "malformed", 4, ["sample 4", "sample 3", "sample 2"]],
    ])
    expect(trend.get("malformed")?.reduce((sum, count) => sum + count, 0)).toBe(4)
    const narrowed = await store().overviewDrops({ ...window(), reason: "expired" }, steps)
    expect(narrowed.groups).toHaveLength(1)
  })

  test("that clients report are in the groups and not in the trend, unless their stage is in scope", async () => {
    const reported = (["page", "server", "bridge", "tunnel"] as const).map((stage) =>
      drop({ stage, sender: "client", reason: "ratelimit_backoff", count: 1_000_000_000 }),
    )
    const own = drop({ stage: "tunnel", reason: "ratelimit_backoff", count: 4 })
    await store().insertDrops([...reported, own, drop({ reason: "ratelimit_backoff", count: 3 })], "reported")
    const steps = stepsOf(Date.now() - 60 * MINUTE, Date.now() + MINUTE)
    const of = { ...window(), reason: "ratelimit_backoff" } as const
    const { groups, trend } = await store().overviewDrops(of, steps)
    expect(groups.filter(({ sender }) => sender === "client")).toHaveLength(4)
    expect(groups.filter(({ stage }) => stage === "tunnel").map(({ sender, count }) => [sender, count])).toEqual([
      ["client", 1_000_000_000],
      ["inspector", 4],
    ])
    const sum = (values: readonly number[] = []) => values.reduce((all, value) => all + value, 0)
    expect(sum(trend.get("ratelimit_backoff"))).toBe(7)
    const ofPages = await store().overviewDrops({ ...of, stage: "page" }, steps)
    expect(sum(ofPages.trend.get("ratelimit_backoff"))).toBe(1_000_000_000)
  })

  test("are listed in pages that contain each one once, even if many have the same time", async () => {
    const time = ago(2 * MINUTE)
    await store().insertDrops(
      Array.from({ length: 25 }, (_, n) => drop({ time, reason: "too_large", sample: `at once ${n}` })),
      "batch ~ \u{1F600}",
    )
    const samples: string[] = []
    let after: string | undefined
    do {
      const page = await store().pageDrops({ ...window(), reason: "too_large", limit: 4, after })
      samples.push(...page.drops.map(({ sample }) => sample))
      after = page.next
    } while (after !== undefined)
    expect(samples).toHaveLength(25)
    expect(new Set(samples).size).toBe(25)
    expect((await store().pageDrops({ ...window(), limit: 10, after: "garbage'; --" })).drops.length).toBe(10)
  })
})
