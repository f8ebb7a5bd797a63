import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { laterReleaseMarks } from "#app/compare/release-marks.ts"
import type { MappedException } from "#otel/inspector/queries/records.ts"
import { type ItemJson, itemToJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import { serverCause, type ServerCause } from "#otel/inspector/queries/errors/error-cause.ts"
import type { PathSpan } from "#otel/inspector/queries/errors/error-reader.ts"
import type { IssueDetail } from "#otel/inspector/queries/errors/issue.ts"
import { type Steps, stepsOf } from "#otel/inspector/queries/list/time-range.ts"
import { type LogJson, logToJson } from "#otel/inspector/queries/logs/log-json.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { type ErrorEvent, nanoseconds, parseSpanId } from "#otel/inspector/queries/records.ts"
import { SHOWN_TEXT_LIMIT } from "#otel/inspector/queries/trace/span-detail.ts"

export interface ReadIssue {
  readonly issue: IssueDetail
  readonly event: ErrorEvent
  /** Index of the event among the events read, newest first; `undefined` for one that is older than all of them. */
  readonly position: number | undefined
  /** Whether the URL names an event that is not stored, in place of which the newest is shown. */
  readonly isEventMissing: boolean
  readonly exceptions: readonly MappedException[]
  readonly cause: ServerCause | undefined
  /** Other errors in the same trace, by time. */
  readonly others: readonly ErrorEvent[]
  readonly path: readonly PathSpan[]
  /** `session.id` of the event, else of its trace. */
  readonly sessionId: string | undefined
  /** Log lines of its trace before it, by time. */
  readonly logs: LinesBefore
  /** The original event and its attachments and feedback. */
  readonly items: readonly ItemJson[]
  readonly steps: Steps
  readonly counts: readonly number[]
  /** Where releases of its services begin. */
  readonly marks: Promise<readonly ChartMark[]>
}

/** Where the id of an event leads: to its issue, or for the event of a transaction to its trace. */
export interface EventPlace {
  readonly address: string
}

/** The place of an event that has the id; `null` for an unknown id. An id that somebody pasted is often that of an event. */
async function placeOfEvent(queries: QueryService, eventId: string): Promise<EventPlace | null> {
  const event = await queries.event(eventId)
  if (event !== undefined) return { address: `/errors/${event.issueId}?event=${eventId}` }
  const items = await queries.itemsOfEvent(eventId)
  const item = items.find((each) => each.eventId === eventId && each.traceId !== undefined)
  if (item === undefined) return null
  return { address: `/traces/${item.traceId}${item.spanId === undefined ? "" : `?span=${item.spanId}`}` }
}

/** An issue and one of its events with related records; where the id of an event leads; `null` for an unknown id. */
export async function readIssue(
  queries: QueryService,
  issueId: string,
  eventId: string | undefined,
  nowMs: number,
): Promise<ReadIssue | EventPlace | null> {
  const issue = await queries.issue(issueId)
  if (issue === undefined) return placeOfEvent(queries, issueId)
  const shown = await shownEvent(queries, issue, eventId)
  if (shown === undefined) return null
  const { event } = shown
  const steps = stepsOf(Math.min(Number(issue.firstSeen / 1_000_000n), nowMs - 3_600_000), nowMs)
  const spanId = event.spanId === undefined ? undefined : parseSpanId(event.spanId)
  const [counts, ofTrace, path, logs, ofEvent, sessionId, exceptions] = await Promise.all([
    queries.eventCounts([issueId], steps),
    event.traceId === undefined ? [] : queries.errorsOfTrace(event.traceId),
    event.traceId === undefined || spanId === undefined ? [] : queries.spanPath(event.traceId, spanId),
    logsBefore(queries, event),
    queries.itemsOfEvent(event.eventId),
    sessionOf(queries, event),
    queries.mapExceptions(event),
  ])
  return {
    issue,
    ...shown,
    exceptions,
    cause: serverCause(event, ofTrace),
    others: ofTrace.filter((other) => other.eventId !== event.eventId),
    path,
    sessionId,
    logs,
    items: ofEvent.map(itemToJson),
    steps,
    counts: counts.get(issueId) ?? [],
    marks: laterReleaseMarks(queries, {
      fromMs: steps.fromMs,
      toMs: nowMs,
      stepMs: steps.stepMs,
      hidden: [],
      services: issue.services,
    }),
  }
}

/** The event that the URL names, else the newest; `undefined` for an issue without events. */
async function shownEvent(
  queries: QueryService,
  { issueId, events }: IssueDetail,
  eventId: string | undefined,
): Promise<Pick<ReadIssue, "event" | "position" | "isEventMissing"> | undefined> {
  const position = eventId === undefined ? 0 : events.findIndex((event) => event.eventId === eventId)
  const among = events[position]
  if (among !== undefined) return { event: among, position, isEventMissing: false }
  const older = eventId === undefined ? undefined : await queries.event(eventId, issueId)
  if (older !== undefined) return { event: older, position: undefined, isEventMissing: false }
  const [newest] = events
  return newest && { event: newest, position: 0, isEventMissing: true }
}

async function sessionOf(queries: QueryService, { tags, traceId }: ErrorEvent): Promise<string | undefined> {
  const own = tags.get("session.id")
  if (typeof own === "string" && own !== "") return own
  return traceId === undefined ? undefined : queries.sessionOfTrace(traceId)
}

export interface LinesBefore {
  readonly logs: readonly LogJson[]
  /** Whether there are earlier lines within the time. */
  readonly hasMore: boolean
}

/** How long before an error its lines begin. */
const BEFORE_NS = 5_000_000_000n
/** SDKs time an error in milliseconds, and its log lines more exactly: the lines end with the error's millisecond. */
const EXACTNESS_NS = 1_000_000n
/** Lines that the screen shows: the last before the error. */
const LINE_LIMIT = 200

/** The log lines of the error's trace from five seconds before it. */
async function logsBefore(queries: QueryService, { traceId, time }: ErrorEvent): Promise<LinesBefore> {
  if (traceId === undefined) return { logs: [], hasMore: false }
  const until = nanoseconds(time - (time % EXACTNESS_NS) + EXACTNESS_NS)
  const since = nanoseconds(time > BEFORE_NS ? time - BEFORE_NS : 0n)
  const { logs, next } = await queries.logs({ traceId, since, until, limit: LINE_LIMIT })
  return { logs: logs.map((log) => logToJson(log, SHOWN_TEXT_LIMIT)).toReversed(), hasMore: next !== undefined }
}
