import { fromMilliseconds, nanoseconds, type Nanoseconds } from "../model/time.ts"
import type { TraceListQuery } from "./trace-reader.ts"

/**
 * Reads the query parameters that the trace list and `GET /api/traces` share: `service`, `since`, `after`, `limit`.
 * It never throws: a value that cannot be used is left out or replaced by its default, and said in `notices`.
 */

/** Traces on a page of the list when the URL names no number, and the most it may ask for. */
export const TRACE_PAGE_SIZE = 100
export const TRACE_PAGE_LIMIT = 1_000

/** A service name or cursor longer than this is a mistake or an attack. Cursors of ours are under 100 characters. */
const TEXT_LIMIT = 512
const SHOWN_LIMIT = 40

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const AGE = /^(\d{1,6})([smhd])$/
const CURSOR = /^[\w.,:;~+/=-]+$/
/** RFC 3339 with its time zone: without one, the moment would depend on where the server runs. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

export interface ParsedTraceListQuery {
  readonly query: TraceListQuery
  /** The text of `since` when it was usable, to show in the form and keep in links. */
  readonly since: string | undefined
  /** One sentence for each value that was not used. */
  readonly notices: readonly string[]
}

/** @param nowMs Milliseconds since the epoch: an age like `15m` counts back from here. */
export function parseTraceListQuery(parameters: URLSearchParams, nowMs: number): ParsedTraceListQuery {
  const notices: string[] = []
  const read = <T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = parameters.get(name)?.trim()
    if (!text) return undefined
    const value = parse(text)
    if (value === undefined) notices.push(`${name} is ${quoted(text)}, which is not ${expected}`)
    return value
  }
  const since = read(
    "since",
    (text) => momentOrAge(text, nowMs),
    "an age like 15m, 1h or 7d, nor a time like 2026-01-31T12:00:00Z",
  )
  const query = {
    limit: read("limit", pageSize, `a number from 1 to ${TRACE_PAGE_LIMIT}`) ?? TRACE_PAGE_SIZE,
    after: read("after", cursor, "a place in the list"),
    service: read("service", shortText, `a name of at most ${TEXT_LIMIT} characters`),
    since,
  }
  return { query, since: since === undefined ? undefined : parameters.get("since")?.trim(), notices }
}

function momentOrAge(text: string, nowMs: number): Nanoseconds | undefined {
  const age = AGE.exec(text)
  if (age) return sinceEpoch(nowMs - Number(age[1]) * UNIT_MS[age[2] as keyof typeof UNIT_MS])
  if (!MOMENT.test(text)) return undefined
  const moment = Date.parse(text)
  return Number.isNaN(moment) ? undefined : sinceEpoch(moment)
}

/** The store counts time from the epoch on: what reaches further back means everything. */
function sinceEpoch(milliseconds: number): Nanoseconds {
  return milliseconds < 0 ? nanoseconds(0n) : fromMilliseconds(milliseconds)
}

function pageSize(text: string): number | undefined {
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0
  return size >= 1 && size <= TRACE_PAGE_LIMIT ? size : undefined
}

function cursor(text: string): string | undefined {
  return text.length <= TEXT_LIMIT && CURSOR.test(text) ? text : undefined
}

function shortText(text: string): string | undefined {
  return text.length <= TEXT_LIMIT && !text.includes("\0") ? text : undefined
}

function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN_LIMIT ? `${text.slice(0, SHOWN_LIMIT)}…` : text)
}
