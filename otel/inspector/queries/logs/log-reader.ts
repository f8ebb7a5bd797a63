import type { TraceId } from "../../../protocol/records/ids.ts"
import type { LogRecord, Severity } from "../../../protocol/records/log.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { LogTree } from "../../search/index.ts"
import type { KnownValue } from "../list/entry-stats.ts"

/** The store's queries about logs. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface LogReader {
  listLogs(query: LogListQuery): Promise<LogList>
  /** How many logs a scope has until now, when, and of which severity. */
  overviewLogs(scope: LogScope, nowMs: number): Promise<LogOverview>
  /** How many logs a scope has of each severity and service. */
  countLogFacets(scope: LogScope): Promise<LogFacets>
  /** Names of the attributes of logs, most frequent first. `spans` counts logs. */
  knownLogAttributes(): Promise<readonly KnownValue[]>
  /** Values of a field or attribute that contain the text, most frequent first. `spans` counts logs. */
  knownLogValues(field: string, text: string): Promise<readonly KnownValue[]>
}

/** Logs of a time window that match a filter, with or without a trace. */
export interface LogScope {
  /** Only logs of this trace. */
  readonly traceId?: TraceId | undefined
  /** Only logs at or after this time. */
  readonly since?: Nanoseconds | undefined
  /** Only logs before this time. */
  readonly until?: Nanoseconds | undefined
  readonly filter?: LogTree | undefined
}

export interface LogListQuery extends LogScope {
  /** At most this many records. */
  readonly limit: number
  /** Cursor: `next` of the previous page, of the same scope and order. */
  readonly after?: string | undefined
  /** Default: newest first. */
  readonly isOldestFirst?: boolean | undefined
}

export interface LogList {
  readonly logs: readonly LogRecord[]
  /** Opaque cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

export interface LogOverview {
  readonly logs: number
  /** By time. They add up to the bars of any steps that end with the scope. */
  readonly moments: readonly LogMoment[]
}

/** Logs within one of the `MOMENTS`. */
export interface LogMoment {
  /** Its start, in milliseconds since the epoch. */
  readonly atMs: number
  readonly logs: number
  /** Those of severity warn, and of error or fatal. */
  readonly warnings: number
  readonly errors: number
}

/** What many logs of a scope share. */
export interface LogFacets {
  /** The most severe first. */
  readonly severities: readonly { readonly value: Severity; readonly count: number }[]
  /** The most frequent first. */
  readonly services: readonly { readonly value: string; readonly count: number }[]
}
