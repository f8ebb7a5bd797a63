import type { ErrorEvent, ExceptionRecord } from "../model/error-event.ts"
import type { Issue, IssueDetail } from "../model/issue.ts"
import type { LossRecord } from "../model/loss.ts"
import { attributesToJson } from "./otlp/write-value.ts"
import type { KeyValueJson } from "./otlp/traces-json.ts"

/** An issue as `GET /api/errors` gives it. Times are nanoseconds as text. */
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
}

/** An event of an issue; `exceptions` is its chain, what was reported first. */
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

export interface LossJson {
  time: string
  stage: string
  reason: string
  category: string
  count: number
  sample: string
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
  }
}

export function issueDetailToJson(issue: IssueDetail): IssueJson & { events: ErrorEventJson[] } {
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

/** Our own JSON text, which was bounded when it was written. */
function fromText(text: string): unknown {
  return text === "" ? null : JSON.parse(text)
}

export function lossToJson({ time, stage, reason, category, count, sample }: LossRecord): LossJson {
  return { time: String(time), stage, reason, category, count, sample }
}
