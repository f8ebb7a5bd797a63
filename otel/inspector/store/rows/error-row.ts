import type { ErrorEvent, ErrorLevel } from "../../../protocol/records/error.ts"
import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { SpanSource } from "../../../protocol/records/span.ts"
import { type ExactValue, fromExact, toExact } from "./stored-attributes.ts"
import { fromNanosText, toTimestampText } from "./stored-values.ts"

/** The parts of an error without a column of their own. */
type ErrorDetail = Pick<ErrorEvent, "exceptions" | "breadcrumbs" | "request" | "context" | "fingerprint"> & {
  readonly tags: ExactValue
}

/** The row of `pagespan_errors`. */
export function toErrorRow(error: ErrorEvent): object {
  const { exceptions, breadcrumbs, request, context, fingerprint } = error
  const detail: ErrorDetail = { exceptions, breadcrumbs, request, context, fingerprint, tags: toExact(error.tags) }
  return {
    Time: toTimestampText(error.time),
    IssueId: error.issueId,
    EventId: error.eventId,
    TraceId: error.traceId ?? "",
    SpanId: error.spanId ?? "",
    Level: error.level,
    Type: error.type,
    Value: error.value,
    Transaction: error.transaction,
    ServiceName: error.service,
    Environment: error.environment,
    Release: error.release,
    Source: error.source,
    Detail: JSON.stringify(detail),
    ...reachOf(error),
  }
}

/** A row of `pagespan_errors` as the columns below select it. */
export interface ErrorRow {
  readonly time: string
  readonly issueId: string
  readonly eventId: string
  readonly traceId: string
  readonly spanId: string
  readonly level: string
  readonly type: string
  readonly value: string
  readonly transaction: string
  readonly service: string
  readonly environment: string
  readonly release: string
  readonly source: string
  readonly detail: string
}

export const ERROR_ROW_COLUMNS = `
  toString(toUnixTimestamp64Nano(Time)) AS time, IssueId AS issueId, EventId AS eventId, TraceId AS traceId,
  SpanId AS spanId, Level AS level, Type AS type, Value AS value, Transaction AS transaction, ServiceName AS service,
  Environment AS environment, Release AS release, Source AS source, Detail AS detail`

/** Only `toErrorRow` writes this table, so the casts are safe. */
export function toErrorEvent(row: ErrorRow): ErrorEvent {
  const { detail, ...columns } = row
  const { tags, ...rest } = JSON.parse(detail) as ErrorDetail
  return {
    ...columns,
    ...rest,
    // JSON omits properties that are undefined.
    exceptions: rest.exceptions.map((exception) => ({
      ...exception,
      mechanism: exception.mechanism && { ...exception.mechanism, handled: exception.mechanism.handled },
      frames: exception.frames.map((frame) => ({
        ...frame,
        line: frame.line,
        column: frame.column,
        inApp: frame.inApp,
      })),
    })),
    tags: fromExact(tags) as ErrorEvent["tags"],
    time: fromNanosText(row.time),
    traceId: row.traceId === "" ? undefined : (row.traceId as TraceId),
    spanId: row.spanId === "" ? undefined : (row.spanId as SpanId),
    level: row.level as ErrorLevel,
    source: row.source as SpanSource,
  }
}

type Reach = { UserId: string; SessionId: string; Handled: "" | "yes" | "no" }

/** Fields that identify a user, the most reliable first. */
const USER_FIELDS = ["id", "email", "username", "ip_address"] as const
/** Half of a character, which a cut may leave. ClickHouse would reject the whole insert. */
const LONE = /\p{Surrogate}/gu
/** Characters. Longer text is not an id. */
const ID_LIMIT = 256

/** User, session and handling of an error, from Sentry's user and the conventions' `user.id` and `session.id`. */
function reachOf({ context, tags, exceptions }: ErrorEvent): Reach {
  const json = parsed(context)
  const user = objectAt(json, "user")
  const trace = objectAt(objectAt(objectAt(json, "contexts"), "trace"), "data")
  const handled = exceptions.map(({ mechanism }) => mechanism?.handled).find((known) => known !== undefined)
  return {
    UserId: idText(...USER_FIELDS.map((field) => user[field]), tags.get("user.id"), tags.get("enduser.id")),
    SessionId: idText(tags.get("session.id"), trace["session.id"]),
    Handled: handled === undefined ? "" : handled ? "yes" : "no",
  }
}

function idText(...values: readonly unknown[]): string {
  const found = values.find((value) => (typeof value === "string" && value !== "") || typeof value === "number")
  return found === undefined ? "" : String(found).slice(0, ID_LIMIT).replace(LONE, "\uFFFD")
}

function objectAt(parent: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

/** Parses JSON that we wrote; empty text is an empty object. */
function parsed(text: string): Record<string, unknown> {
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
}
