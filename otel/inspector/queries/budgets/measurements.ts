import { matchesPattern } from "../../../protocol/pattern.ts"
import type { TraceScope } from "../list/trace-reader.ts"
import { ROUTE_KINDS, type RouteKind, type Vital } from "../routes/route-reader.ts"
import type { Budgets, Limit } from "./budget-file.ts"
import type { BudgetReader, RouteFigures } from "./budget-reader.ts"
import { type Distribution, distributionOf } from "./distribution.ts"
import { countViews, type ViewCounts } from "./view-counts.ts"

/** Rows of spans in which requests, bytes and spans are counted, in whole traces. */
export const SAMPLE_SPANS = 200_000

/** The figures of all routes of a scope. */
export class Measurements {
  /** By route and measure. */
  readonly #figures: ReadonlyMap<string, RouteFigures>
  readonly #views: ReadonlyMap<string, readonly ViewCounts[]>
  readonly #distributions = new Map<string, Distribution>()

  private constructor(
    figures: readonly RouteFigures[],
    views: readonly ViewCounts[],
    private readonly patterns: readonly string[],
    /** Traces of the scope, and those in the sample; `null` where no limit needs them. */
    readonly traces: number | null,
    readonly sampled: number | null,
  ) {
    this.#figures = new Map(figures.map((each) => [keyOf(each.route, each.measure), each]))
    const byRoute = new Map<string, ViewCounts[]>()
    for (const view of views) {
      const key = keyOf(view.route, view.kind)
      const known = byRoute.get(key)
      if (known === undefined) byRoute.set(key, [view])
      else known.push(view)
    }
    this.#views = byRoute
  }

  static async of(reader: BudgetReader, scope: TraceScope, { rules }: Budgets): Promise<Measurements> {
    const limits = rules.flatMap((rule) => rule.limits)
    const patterns = [...new Set(limits.flatMap(({ span }) => span ?? []))]
    const isCounting = limits.some(({ metric }) => metric === "spans" || metric === "requests" || metric === "bytes")
    const [figures, sample] = await Promise.all([
      rules.length > 0 ? reader.measureFigures(scope) : [],
      isCounting ? reader.sampleViews(scope, SAMPLE_SPANS) : undefined,
    ])
    const views = sample === undefined ? [] : countViews(sample, patterns)
    return new Measurements(figures, views, patterns, sample?.traces ?? null, sample?.sampled.length ?? null)
  }

  /** By name. */
  get routes(): string[] {
    const measured = [...this.#figures.values()].filter(({ measure }) => isKind(measure))
    return [...new Set(measured.map(({ route }) => route))].toSorted()
  }

  has(route: string, kind: RouteKind): boolean {
    return this.#figures.has(keyOf(route, kind))
  }

  /** Whether a key of the file names a measured route, of its kind if it has one, though a more specific key sets all its figures. */
  covers(pattern: string, kind: RouteKind | undefined): boolean {
    return this.routes.some((route) => matchesPattern(route, pattern) && (kind === undefined || this.has(route, kind)))
  }

  /** How many there were, and how many failed. */
  failures(route: string, kind: RouteKind): Pick<RouteFigures, "count" | "failed"> | undefined {
    return this.#figures.get(keyOf(route, kind))
  }

  figure(limit: Pick<Limit, "metric" | "span">, route: string, kind: RouteKind): Distribution | undefined {
    const { metric, span } = limit
    if (metric === "duration") return this.#figures.get(keyOf(route, kind))
    if (metric !== "requests" && metric !== "bytes" && metric !== "spans")
      return this.#figures.get(keyOf(route, metric.toLowerCase() as Vital))
    const key = JSON.stringify([route, kind, metric, span])
    const known = this.#distributions.get(key)
    if (known !== undefined) return known
    const at = this.patterns.indexOf(span ?? "")
    const views = this.#views.get(keyOf(route, kind)) ?? []
    const samples = views.map((view) => ({
      traceId: view.traceId,
      value: metric === "spans" ? (view.spans[at] ?? 0) : view[metric],
    }))
    const distribution = distributionOf(samples)
    this.#distributions.set(key, distribution)
    return distribution
  }
}

function isKind(measure: RouteKind | Vital): measure is RouteKind {
  return (ROUTE_KINDS as readonly string[]).includes(measure)
}

function keyOf(route: string, measure: RouteKind | Vital): string {
  return `${measure} ${route}`
}
