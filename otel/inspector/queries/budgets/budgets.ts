import { matchesPattern } from "../../../protocol/pattern.ts"
import type { FilterTree } from "../../search/index.ts"
import type { DropReader } from "../drops/drop-reader.ts"
import type { TraceReader, TraceScope } from "../list/trace-reader.ts"
import { fromMilliseconds, nanoseconds } from "../../../protocol/records/time.ts"
import { ROUTE_KINDS, type RouteKind } from "../routes/route-reader.ts"
import { type Budgets, type Limit, type Metric, type RouteRule } from "./budget-file.ts"
import type { BudgetReader } from "./budget-reader.ts"
import {
  BUDGET_VERDICTS,
  type BudgetVerdict,
  judge,
  judgeFailures,
  type Judgement,
  judgeNumber,
  withoutSamples,
} from "./judge.ts"
import { Measurements } from "./measurements.ts"

/** The verdict on one limit of one route. */
export interface BudgetResult extends Judgement, Pick<Limit, "stat" | "unit" | "path"> {
  /** The measured route; the key of the file where nothing was measured; `null` for `dropped`. */
  readonly route: string | null
  readonly kind: RouteKind | null
  readonly metric: Metric
  /** The pattern of names that `spans` counts. */
  readonly span: string | null
  /** As the file has it. */
  readonly limit: string
  /** The trace with the largest value. */
  readonly traceId: string | null
}

export interface BudgetReport {
  /** `fail` if a limit fails, else `undecided` if one is, else `pass`. */
  readonly verdict: BudgetVerdict
  readonly counts: Readonly<Record<BudgetVerdict, number>>
  /** Those that fail first, then undecided ones; at most 5,000. */
  readonly results: readonly BudgetResult[]
  /** Results that were left out. */
  readonly omitted: number
  /** Traces that were measured, and those in which spans, requests and bytes were counted, if a limit needs them. */
  readonly traces: { readonly current: number | null; readonly sampled: number | null }
}

interface Reader extends BudgetReader, Pick<TraceReader, "listTraces">, Pick<DropReader, "overviewDrops"> {}

export interface BudgetScope {
  readonly current: TraceScope
  /** The filter of the baseline; `undefined` without one, and where the measured traces are the baseline. */
  readonly baseline: FilterTree | undefined
}

const RESULTS = 5_000

/** Measures the traces of the scope, and judges every limit. */
export async function judgeBudgets(
  reader: Reader,
  budgets: Budgets,
  scope: BudgetScope,
  nowMs: number,
): Promise<BudgetReport> {
  const { current } = scope
  const isRelative = budgets.rules.some(({ limits }) => limits.some(({ bound }) => bound.is === "relative"))
  const [measured, baseline, dropped] = await Promise.all([
    Measurements.of(reader, current, budgets),
    isRelative && scope.baseline !== undefined
      ? Measurements.of(reader, { filter: scope.baseline }, budgets)
      : undefined,
    budgets.dropped && judgeDrops(reader, budgets.dropped, current, nowMs),
  ])
  const all = [...(dropped === undefined ? [] : [dropped]), ...judgeRoutes(budgets, measured, baseline)].toSorted(
    (a, b) => BUDGET_VERDICTS.indexOf(a.verdict) - BUDGET_VERDICTS.indexOf(b.verdict),
  )
  const count = (verdict: BudgetVerdict) => all.filter((result) => result.verdict === verdict).length
  const counts = { fail: count("fail"), undecided: count("undecided"), pass: count("pass") }
  return {
    verdict: BUDGET_VERDICTS.find((verdict) => counts[verdict] > 0) ?? "undecided",
    counts,
    results: all.slice(0, RESULTS),
    omitted: Math.max(0, all.length - RESULTS),
    traces: { current: measured.traces, sampled: measured.sampled },
  }
}

function judgeRoutes(budgets: Budgets, measured: Measurements, baseline: Measurements | undefined): BudgetResult[] {
  const results = measured.routes.flatMap((route) =>
    limitsOf(budgets.rules, route, measured).map(({ limit, kind }) =>
      judgeLimit(limit, route, kind, { budgets, measured, baseline }),
    ),
  )
  // A limit that applies to nothing must not look like one that holds.
  const judged = new Set(results.map(({ path }) => path.slice(0, 2).join("\0")))
  const unused = budgets.rules.filter(
    ({ route, of }) => !judged.has(["routes", route].join("\0")) && !measured.covers(route, of),
  )
  return [
    ...results,
    ...unused.flatMap(({ route, of, limits }) =>
      limits.map((limit) =>
        resultOf(limit, { route, kind: of ?? null, traceId: null }, withoutSamples(`no ${kindText(of)} was measured`)),
      ),
    ),
  ]
}

function kindText(kind: RouteKind | undefined): string {
  return { load: "page load", navigation: "navigation", request: "request", any: "such route" }[kind ?? "any"]
}

interface Applied {
  readonly limit: Limit
  readonly kind: RouteKind
}

/** The limits of a route: of each figure of a kind those of the most specific key that sets it. */
function limitsOf(rules: readonly RouteRule[], route: string, measured: Measurements): Applied[] {
  const matching = rules.filter((rule) => matchesPattern(route, rule.route)).toSorted((a, b) => rank(b) - rank(a))
  const known = new Set<string>()
  return matching.flatMap((rule) => {
    const kind = rule.of ?? ROUTE_KINDS.find((each) => measured.has(route, each))
    if (kind === undefined || (!measured.has(route, kind) && rule.route.includes("*"))) return []
    const own = rule.limits.filter(({ metric, span }) => !known.has(`${kind} ${metric} ${span}`))
    for (const { metric, span } of own) known.add(`${kind} ${metric} ${span}`)
    return own.map((limit) => ({ limit, kind }))
  })
}

/** A name is more specific than a pattern, and a long pattern more than a short one. */
function rank({ route }: RouteRule): number {
  return route.includes("*") ? route.length : Infinity
}

interface Judging {
  readonly budgets: Budgets
  readonly measured: Measurements
  readonly baseline: Measurements | undefined
}

function judgeLimit(limit: Limit, route: string, kind: RouteKind, judging: Judging): BudgetResult {
  const { budgets, measured, baseline } = judging
  if (limit.metric === "errors") {
    const { count = 0, failed = 0 } = measured.failures(route, kind) ?? {}
    const value = limit.stat === "share" ? failed / Math.max(1, count) : failed
    const judgement =
      count === 0
        ? withoutSamples(`no ${kindText(kind)} was measured`)
        : judgeFailures(limit, value, count, budgets.minSamples)
    return resultOf(limit, { route, kind, traceId: null }, judgement)
  }
  const current = measured.figure(limit, route, kind)
  const judgement =
    current === undefined || current.count === 0
      ? withoutSamples(
          limit.unit === "ms" || limit.unit === "score"
            ? "it was not measured"
            : `no ${kindText(kind)} is in the sample`,
        )
      : judge(limit, current, baseline?.figure(limit, route, kind), budgets.minSamples)
  return resultOf(limit, { route, kind, traceId: current?.worst || null }, judgement)
}

function resultOf(
  { metric, span, stat, text, unit, path }: Limit,
  of: Pick<BudgetResult, "route" | "kind" | "traceId">,
  judgement: Judgement,
): BudgetResult {
  return { ...of, metric, span: span ?? null, stat, limit: text, unit, path, ...judgement }
}

const A_MINUTE_NS = 60_000_000_000n
const A_MINUTE_MS = 60_000

/** Drops belong to no trace: those since the first one count, from a minute before it. */
async function judgeDrops(
  reader: Reader,
  { limit, except }: NonNullable<Budgets["dropped"]>,
  scope: TraceScope,
  nowMs: number,
): Promise<BudgetResult> {
  const [first] = (await reader.listTraces({ ...scope, limit: 1, order: { by: "time", isAscending: true } })).traces
  const start = first?.startTime ?? scope.since ?? nanoseconds(0n)
  const from = nanoseconds(start > A_MINUTE_NS ? start - A_MINUTE_NS : 0n)
  const untilMs = nowMs + A_MINUTE_MS
  const window = { from, until: scope.until ?? fromMilliseconds(untilMs) }
  const { groups } = await reader.overviewDrops(window, { fromMs: 0, stepMs: untilMs, count: 1 })
  const counted = groups.filter(({ reason, category }) => !except.includes(reason) && category !== "internal")
  const dropped = counted.reduce((sum, { count }) => sum + count, 0)
  const judgement = judgeNumber(limit, dropped, dropped)
  const reasons = [...new Set(counted.map(({ reason }) => reason))].join(", ")
  const reason = judgement.verdict === "fail" ? `over the limit: ${reasons}` : judgement.reason
  return resultOf(limit, { route: null, kind: null, traceId: null }, { ...judgement, reason })
}
