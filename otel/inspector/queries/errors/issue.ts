import { attributesToJson, type KeyValueJson } from "../../../protocol/otlp/traces-json.ts"
import type { ErrorEvent, ExceptionRecord } from "../../../protocol/records/error.ts"
import type { TraceId } from "../../../protocol/records/ids.ts"
import type { SpanSource } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"

/** Errors with the same fingerprint: one line of the error list. */
export interface Issue {
  readonly issueId: string
  /** Of its newest event. */
  readonly title: string
  /** Distinct events within the retention. */
  readonly count: number
  readonly firstSeen: Nanoseconds
  readonly lastSeen: Nanoseconds
  /** Trace of the newest event that has one. */
  readonly lastTraceId: TraceId | undefined
  /** Of its newest event. */
  readonly level: ErrorEvent["level"]
  readonly transaction: string
  /** Of the newest event that reports it; `undefined` when no event does. */
  readonly handled: boolean | undefined
  /** Distinct users and sessions, of the events that name one. */
  readonly users: number
  readonly sessions: number
  /** Distinct releases and environments, by name. */
  readonly releases: readonly string[]
  readonly environments: readonly string[]
  /** Distinct services, by name. */
  readonly services: readonly string[]
  readonly sources: readonly SpanSource[]
  /** Its events in the list's window and in the one before it, where the query has one. */
  readonly window?: { readonly count: number; readonly countBefore: number } | undefined
}

/** A page of the error list; by default, last seen first. */
export interface IssueList {
  readonly issues: readonly Issue[]
  /** Opaque cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

export const ISSUE_ORDERS = ["last", "first", "count", "users", "change"] as const
export type IssueOrder = (typeof ISSUE_ORDERS)[number]

export interface IssueWindow {
  readonly before: Nanoseconds
  readonly from: Nanoseconds
  readonly until?: Nanoseconds | undefined
}

export interface IssueListQuery {
  /** At most this many issues. */
  readonly limit: number
  /** Cursor: `next` of the previous page, of the same query. */
  readonly after?: string | undefined
  /** Only events of this service. */
  readonly service?: string | undefined
  /** Excludes events of these services. */
  readonly hidden?: readonly string[] | undefined
  /** Only issues with an event at or after this time. */
  readonly since?: Nanoseconds | undefined
  /** Only issues with an event before this time, and at or after `since`. */
  readonly until?: Nanoseconds | undefined
  /** Counts events from `from` to `until`, which has no end by default, and those from `before` to `from`. */
  readonly window?: IssueWindow | undefined
  /** Only issues with an event of this level. */
  readonly level?: ErrorEvent["level"] | undefined
  /** Only issues with a handled event (`true`), or with an unhandled one. */
  readonly handled?: boolean | undefined
  /** Only issues with this text in an event's type, message, route or release; case-insensitive. */
  readonly search?: string | undefined
  /** Largest or latest first. Default: last seen. */
  readonly order?: IssueOrder | undefined
}

/** An issue with its newest events, newest first. */
export interface IssueDetail extends Issue {
  readonly events: readonly ErrorEvent[]
}

/** An issue as `GET /api/errors` answers it. Times are nanoseconds as text. */
export interface IssueJson {
  issueId: string
  title: string
  count: number
  firstSeen: string
  lastSeen: string
  lastTraceId: string | null
  level: string
  transaction: string
  handled: boolean | null
  users: number
  sessions: number
  releases: string[]
  environments: string[]
  services: string[]
  sources: string[]
  /** Events in the list's window and in the one before it. */
  window?: { count: number; countBefore: number }
}

/** An event of an issue. `exceptions` is its chain: the reported exception, then its causes. */
export interface ErrorEventJson {
  eventId: string
  time: string
  traceId: string | null
  spanId: string | null
  level: string
  type: string
  value: string
  exceptions: readonly ExceptionRecord[]
  transaction: string
  service: string
  environment: string
  release: string
  tags: KeyValueJson[]
  breadcrumbs: unknown
  request: unknown
  context: unknown
  fingerprint: readonly string[]
  source: string
}

export function issueToJson(issue: Issue): IssueJson {
  const { issueId, title, count, level, transaction, users, sessions } = issue
  return {
    issueId,
    title,
    count,
    firstSeen: String(issue.firstSeen),
    lastSeen: String(issue.lastSeen),
    lastTraceId: issue.lastTraceId ?? null,
    level,
    transaction,
    handled: issue.handled ?? null,
    users,
    sessions,
    releases: [...issue.releases],
    environments: [...issue.environments],
    services: [...issue.services],
    sources: [...issue.sources],
    ...(issue.window && { window: issue.window }),
  }
}

export interface IssueDetailJson extends IssueJson {
  /** Newest first. */
  events: ErrorEventJson[]
}

export function issueDetailToJson(issue: IssueDetail): IssueDetailJson {
  return { ...issueToJson(issue), events: issue.events.map(eventToJson) }
}

function eventToJson(event: ErrorEvent): ErrorEventJson {
  const { issueId: _, ...rest } = event
  return {
    ...rest,
    time: String(event.time),
    traceId: event.traceId ?? null,
    spanId: event.spanId ?? null,
    tags: attributesToJson(event.tags),
    breadcrumbs: fromText(event.breadcrumbs),
    request: fromText(event.request),
    context: fromText(event.context),
  }
}

/** JSON text that Pagespan wrote, and bounded, at ingest. */
function fromText(text: string): unknown {
  return text === "" ? null : JSON.parse(text)
}
