import type { TraceSummary } from "../model/trace-summary.ts"

export interface ServiceActivity {
  readonly name: string
  /** Traces that it takes part in. */
  readonly traces: number
  readonly tracesWithErrors: number
}

export interface RouteActivity {
  /** Name of the root spans. */
  readonly name: string
  readonly traces: number
  readonly median: bigint
  readonly slowest: bigint
  /** The trace that was the slowest. */
  readonly slowestTraceId: string
}

export interface LatestActivity {
  /** The busiest first. */
  readonly services: readonly ServiceActivity[]
  /** The slowest median first. */
  readonly routes: readonly RouteActivity[]
}

/** What the latest traces say by service and by route. It tells of the given traces alone, whatever else is stored. */
export function latestActivity(traces: readonly TraceSummary[]): LatestActivity {
  const services = new Map<string, ServiceActivity>()
  const byName = new Map<string, TraceSummary[]>()
  for (const trace of traces) {
    for (const name of trace.services) services.set(name, withTrace(services.get(name), name, trace))
    byName.set(trace.name, [...(byName.get(trace.name) ?? []), trace])
  }
  return {
    services: [...services.values()].sort((a, b) => b.traces - a.traces || (a.name < b.name ? -1 : 1)),
    routes: [...byName].map(([name, group]) => routeActivity(name, group)).sort((a, b) => compare(b.median, a.median)),
  }
}

function withTrace(before: ServiceActivity | undefined, name: string, trace: TraceSummary): ServiceActivity {
  return {
    name,
    traces: (before?.traces ?? 0) + 1,
    tracesWithErrors: (before?.tracesWithErrors ?? 0) + (trace.errorCount > 0 ? 1 : 0),
  }
}

function routeActivity(name: string, group: readonly TraceSummary[]): RouteActivity {
  const sorted = [...group].sort((a, b) => compare(a.duration, b.duration))
  const slowest = sorted.at(-1)
  return {
    name,
    traces: sorted.length,
    median: sorted[Math.floor((sorted.length - 1) / 2)]?.duration ?? 0n,
    slowest: slowest?.duration ?? 0n,
    slowestTraceId: slowest?.traceId ?? "",
  }
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
