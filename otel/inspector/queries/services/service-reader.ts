import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { TimeSteps } from "../list/trace-overview.ts"
import type { ActivityScope } from "../list/trace-reader.ts"

/**
 * What a service does is measured at its entries: spans of kind server or consumer, and those whose parent is of another
 * service, is not stored, or does not exist. Spans within the service would count the same work twice.
 */
export interface ServiceFigures {
  readonly count: number
  /** Entries that ended with an error, or in whose trace the service reported one. */
  readonly failed: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
}

/** Entries of a service whose parent is a span of the caller, which may be the service itself. */
export interface ServiceCall extends ServiceFigures {
  readonly caller: string
  readonly callee: string
}

export interface ServiceSummary extends ServiceFigures {
  readonly service: string
  /** Traces with an entry of the service. */
  readonly traces: number
  /** Those of them in which a span of the service has a parent that is not stored. */
  readonly tracesWithMissingParents: number
  /** Entries at each time step. */
  readonly bars: readonly number[]
}

export interface ServiceList {
  /** Busiest first. */
  readonly services: readonly ServiceSummary[]
  /** Most frequent first. */
  readonly calls: readonly ServiceCall[]
  /** All services; more than `services` has where the list was cut. */
  readonly total: number
  /** Start of the spans that were counted: later than that of the scope where the scope has too many spans. */
  readonly countedFrom: Nanoseconds
  readonly isCut: boolean
}

/** Entries of one span name. */
export interface ServiceOperation extends ServiceFigures {
  readonly name: string
}

/** The entries at each step of the window; `null` where there is none. Times in milliseconds. */
export interface ServiceTrend {
  readonly count: readonly number[]
  readonly failed: readonly number[]
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
}

/** An entry and its trace. */
export interface ServiceTrace {
  readonly traceId: TraceId
  readonly spanId: string
  readonly name: string
  readonly startTime: Nanoseconds
  /** Milliseconds. */
  readonly value: number
  readonly failed: boolean
}

export interface ServiceDetail {
  /** Most frequent first. */
  readonly operations: readonly ServiceOperation[]
  readonly trend: ServiceTrend
  /** One entry of each trace: the slowest, and the latest that failed. */
  readonly slowest: readonly ServiceTrace[]
  readonly failing: readonly ServiceTrace[]
}

/** The store's queries about services. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface ServiceReader {
  /**
   * The services of a scope and the calls between them. A filter selects the traces whose spans count.
   *
   * @param spanLimit spans of the window that are counted, at most, in whole steps; default 500,000.
   */
  listServices(scope: ActivityScope, steps: TimeSteps, spanLimit?: number): Promise<ServiceList>
  /** The entries of one service in more detail. */
  readService(service: string, scope: ActivityScope, steps: TimeSteps): Promise<ServiceDetail>
  /** Of each trace with an entry of the service whose parent is not stored, one such entry: the latest traces. */
  listIncompleteTraces(service: string, scope: ActivityScope, steps: TimeSteps): Promise<readonly ServiceTrace[]>
}
