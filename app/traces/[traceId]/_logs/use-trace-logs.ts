"use client"

import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useLive } from "#app/_live/use-live.ts"
import { LOGS_REPLICATED_MS, LOGS_TOGETHER_MS, useDebounced } from "#app/_live/use-debounced.ts"
import { isoTime } from "#app/_ui/format/time.ts"
import type { LogJson } from "#otel/inspector/queries/logs/log-json.ts"
import { type Severity, severityOf } from "#otel/inspector/queries/logs/log-text.ts"
import { SHOWN_TEXT_LIMIT } from "#otel/inspector/queries/trace/span-detail.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { fetchJson, type JsonResult, useJson } from "../_state/use-json.ts"

/** Lines of a span in its panel. */
const SPAN_LOGS = 100
/** Lines that the view holds at most. */
export const TRACE_LOG_LIMIT = 10_000
/** Ticks on the bars of a trace, and characters of their logs, which the bars do not show. */
const TICKS = 1_000
const TICK_CUT = 1

interface LogPage {
  readonly logs: readonly LogJson[]
  readonly next: string | null
}

/** The logs of a span. */
export function useSpanLogs(traceId: string, spanId: string | undefined): JsonResult<LogPage> {
  return useJson(
    spanId === undefined
      ? undefined
      : `/api/traces/${traceId}/logs?${new URLSearchParams({ q: `span:${spanId}`, limit: String(SPAN_LOGS), cut: String(SHOWN_TEXT_LIMIT) })}`,
  )
}

/** A log of severity warn or above, on the bar of its span. */
export interface LogTick {
  /** Nanoseconds from the start of the trace. */
  readonly at: number
  readonly severity: Severity
}

/** Ticks by row, the first thousand of a trace. Empty until they are loaded, and after a failure. */
export function useLogTicks(
  traceId: string,
  startTimeUnixNano: string,
  table: WaterfallTable,
): ReadonlyMap<number, readonly LogTick[]> {
  const query = new URLSearchParams({ q: "severity>=warn", limit: String(TICKS), cut: String(TICK_CUT) })
  const result = useJson<LogPage>(`/api/traces/${traceId}/logs?${query}`)
  const logs = typeof result === "object" ? result.value.logs : undefined
  return useMemo(() => ticksByRow(logs ?? [], BigInt(startTimeUnixNano), table), [logs, startTimeUnixNano, table])
}

function ticksByRow(logs: readonly LogJson[], start: bigint, table: WaterfallTable) {
  const byRow = new Map<number, LogTick[]>()
  for (const log of logs) {
    const row = log.spanId === null ? -1 : table.indexOf(log.spanId)
    const severity = severityOf(log)
    if (row === -1 || severity === undefined) continue
    const ticks = byRow.get(row) ?? []
    const tick = { at: Number(BigInt(log.timeUnixNano) - start), severity }
    // An error is drawn over a warning.
    if (severity === "warn") ticks.unshift(tick)
    else ticks.push(tick)
    byRow.set(row, ticks)
  }
  return byRow
}

export interface TraceLogs {
  readonly logs: readonly LogJson[]
  readonly state: "ready" | "loading" | "failed"
  /** Loads the next page, or again after a failure; `undefined` when there is none, or while loading. */
  readonly more: (() => void) | undefined
}

/** Lines at the end that are read again for new ones: a page of the read API has a few more, and lines may arrive late. */
const READ_AGAIN = 900

/** The logs of a trace, in pages. Once all are loaded, those that arrive are added. */
export function useTraceLogs(traceId: string): TraceLogs {
  const [loaded, setLoaded] = useState<LogPage>({ logs: [], next: "" })
  const [state, setState] = useState<TraceLogs["state"]>("loading")
  const { logs, next } = loaded
  useEffect(() => {
    if (state !== "loading" || next === null) return undefined
    const stop = new AbortController()
    const load = async () => {
      const page = await readPage(traceId, next === "" ? {} : { after: next }, stop.signal)
      if (stop.signal.aborted) return
      if (page !== undefined) setLoaded((before) => ({ logs: merged(before.logs, page.logs), next: page.next }))
      setState(page === undefined ? "failed" : "ready")
    }
    void load()
    return () => stop.abort()
  }, [traceId, next, state])
  const more = useCallback(() => setState("loading"), [])
  const isFull = logs.length >= TRACE_LOG_LIMIT
  const add = (page: LogPage) => {
    setLoaded((before) => ({ logs: merged(before.logs, page.logs), next: page.next }))
    if (page.next !== null) more()
  }
  useArrivals(traceId, logs, next === null && !isFull, add)
  return { logs, state, more: state === "loading" || next === null || isFull ? undefined : more }
}

/** Adds the lines that arrive while the view is open. */
function useArrivals(
  traceId: string,
  logs: readonly LogJson[],
  isWhole: boolean,
  onArrived: (page: LogPage) => void,
): void {
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const load = async () => {
    if (!isWhole) return
    stop.current?.abort()
    const { signal } = (stop.current = new AbortController())
    const from = logs.at(-READ_AGAIN)
    const page = await readPage(
      traceId,
      from === undefined ? {} : { since: isoTime(BigInt(from.timeUnixNano)) },
      signal,
    )
    if (page !== undefined) onArrived(page)
  }
  const loadSoon = useDebounced(load, LOGS_TOGETHER_MS)
  const loadLater = useDebounced(load, LOGS_REPLICATED_MS)
  const arrived = () => {
    loadSoon()
    loadLater()
  }
  useLive({ logs: arrived, resumed: arrived })
}

function readPage(traceId: string, parameters: Readonly<Record<string, string>>, signal: AbortSignal) {
  const query = new URLSearchParams({ cut: String(SHOWN_TEXT_LIMIT), ...parameters })
  return fetchJson<LogPage>(`/api/traces/${traceId}/logs?${query}`, signal)
}

/** Both by time, in the order of the store. The same array when nothing is new. */
function merged(before: readonly LogJson[], page: readonly LogJson[]): readonly LogJson[] {
  const known = new Set(before.map(({ logId }) => logId))
  const news = page.filter(({ logId }) => !known.has(logId))
  return news.length === 0 ? before : [...before, ...news].toSorted(oldestFirst).slice(0, TRACE_LOG_LIMIT)
}

function oldestFirst(a: LogJson, b: LogJson): number {
  const [first, second] = [BigInt(a.timeUnixNano), BigInt(b.timeUnixNano)]
  if (first !== second) return first < second ? -1 : 1
  return a.logId < b.logId ? -1 : 1
}
