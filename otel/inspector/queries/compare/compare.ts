import type { ActivityScope } from "../list/trace-reader.ts"
import type { RouteKind } from "../routes/route-reader.ts"
import {
  type Compared,
  compareMeasured,
  type Difference,
  isNotable,
  type Measured,
  rateDifference,
} from "./comparison.ts"
import type { CompareReader, MeasuredRoute } from "./compare-reader.ts"
import { type MeasuredPath, measurePaths, type PathStep } from "./span-paths.ts"

export interface ComparedRoute extends Compared {
  readonly route: string
  readonly kind: RouteKind
  /** The difference of the median times the current count; of a route of one side all its time. Milliseconds. */
  readonly impactMs: number
}

export interface ComparedPath extends Compared {
  /** Services and names of the span's ancestors, the outermost first, then its own. */
  readonly path: readonly PathStep[]
  /** Spans of the path in a trace of the side, on average. */
  readonly perTrace: { readonly a: number; readonly b: number; readonly difference: Difference }
  /** The difference of the path's time in a trace, on average. Milliseconds. */
  readonly impactMs: number
}

export interface ComparedSide {
  /** Traces of the side. */
  readonly traces: number
  /** Those in which span paths were measured. */
  readonly sampled: number
}

/** Routes and span paths of two sides: those that differ beyond chance first, then the largest impact first. */
export interface Comparison {
  readonly a: ComparedSide
  readonly b: ComparedSide
  readonly routes: readonly ComparedRoute[]
  /** More than `routes` has where there are too many. */
  readonly routeCount: number
  readonly spanPaths: readonly ComparedPath[]
}

/** Rows of spans whose paths are measured on each side, in whole traces. */
export const SAMPLE_SPANS = 25_000

/** Compares two sets of traces: `a` is the baseline. */
export async function compareScopes(
  reader: CompareReader,
  a: ActivityScope,
  b: ActivityScope,
  sampleSpans = SAMPLE_SPANS,
): Promise<Comparison> {
  const [measured, ofA, ofB] = await Promise.all([
    reader.measureRoutes(a, b),
    reader.sampleTraces(a, sampleSpans),
    reader.sampleTraces(b, sampleSpans),
  ])
  const traces = { a: ofA.sampled.length, b: ofB.sampled.length }
  const paths = measurePaths(ofA.sampled, ofB.sampled)
  return {
    a: { traces: ofA.traces, sampled: traces.a },
    b: { traces: ofB.traces, sampled: traces.b },
    routes: measured.routes.map(comparedRoute).toSorted(byImpact),
    routeCount: measured.total,
    spanPaths: paths
      .map((path) => comparedPath(path, traces))
      .toSorted((x, y) => byImpact(x, y) || x.path.length - y.path.length),
  }
}

function comparedRoute({ route, kind, a, b }: MeasuredRoute): ComparedRoute {
  const compared = compareMeasured(a, b)
  const { difference } = compared
  const impactMs = difference === null ? a.total + b.total : Math.abs(difference.p50.value) * b.count
  return { route, kind, ...compared, impactMs }
}

function comparedPath({ path, a, b }: MeasuredPath, traces: { readonly a: number; readonly b: number }): ComparedPath {
  const of = (side: "a" | "b", { count }: Measured) => ({ count, traces: traces[side] })
  return {
    path,
    ...compareMeasured(a, b),
    perTrace: {
      a: mean(a.count, traces.a),
      b: mean(b.count, traces.b),
      difference: rateDifference(of("a", a), of("b", b)),
    },
    impactMs: Math.abs(mean(b.total, traces.b) - mean(a.total, traces.a)),
  }
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count
}

type Row = ComparedRoute | ComparedPath

function byImpact(x: Row, y: Row): number {
  return Number(stands(y)) - Number(stands(x)) || y.impactMs - x.impactMs
}

function stands(row: Row): boolean {
  return "perTrace" in row && row.difference !== null ? isNotable(row, row.perTrace.difference) : isNotable(row)
}
