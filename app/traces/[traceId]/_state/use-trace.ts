"use client"

import { type RefObject, useMemo, useRef } from "react"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { Finding } from "#otel/inspector/queries/trace/findings/findings.ts"
import { foldsOf } from "#otel/inspector/queries/trace/folds.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import {
  markedOf,
  markedRows,
  rowsOfSpans,
  type WaterfallTable,
  withAncestors,
} from "#otel/inspector/queries/trace/waterfall-table.ts"
import { type LogTick, useLogTicks } from "../_logs/use-trace-logs.ts"
import { type Tree, useTree } from "../_waterfall/use-tree.ts"
import { isWhole, type TimeWindow } from "./time-window.ts"
import { findingKey, type TraceAddress, windowOf } from "./trace-address.ts"
import { type ChangeAddress, useAddress } from "./use-address.ts"
import { useCriticalPath } from "./use-critical-path.ts"
import { type SearchResult, useSearch } from "./use-search.ts"
import { type OpenedSpan, useSpan } from "./use-span.ts"
import { type LoadedWaterfall, useWaterfall } from "./use-waterfall.ts"

/** State shared by the parts of the screen: loaded data, URL state, and what derives from both. */
export interface TraceState extends LoadedWaterfall {
  readonly address: TraceAddress
  readonly change: ChangeAddress
  readonly open: (spanId: string | undefined) => void
  readonly search: SearchResult
  readonly searchBox: RefObject<HTMLInputElement | null>
  /** 1 for each row that matches the search; `undefined` without a match. */
  readonly found: Uint8Array | undefined
  readonly window: TimeWindow
  /** Duration of the trace in nanoseconds, at least 1. */
  readonly duration: number
  readonly onWindow: (window: TimeWindow | undefined) => void
  /** The critical path; `undefined` while hidden. */
  readonly pieces: readonly PathPiece[] | undefined
  /** Times of error events by row. */
  readonly errorsAt: ReadonlyMap<number, readonly number[]>
  /** Logs of severity warn and above, by row. */
  readonly logTicks: ReadonlyMap<number, readonly LogTick[]>
  /** Rows with an error of any kind, in order. */
  readonly failed: Int32Array
  readonly tree: Tree
  readonly span: OpenedSpan
}

export function useTrace(view: TraceView, opened: readonly SpanDetail[] | undefined): TraceState {
  const [address, change] = useAddress()
  const { table, rest } = useWaterfall(view.traceId, view.waterfall)
  const typed = useSearch(table, view.traceId, address.search)
  const search = useFinding(table, view.findings, address, typed)
  const searchBox = useRef<HTMLInputElement>(null)
  const open = (span: string | undefined) => change({ span })
  const window = useMemo(() => windowOf(address, table.traceDuration), [address, table])
  const { rows } = search
  const visible = useMemo(
    () => (address.hides && rows !== undefined ? withAncestors(table, rows) : undefined),
    [address.hides, rows, table],
  )
  const found = useMemo(() => (rows?.length ? markedOf(table, rows) : undefined), [table, rows])
  const pieces = useCriticalPath(table, address.path)
  const errorsAt = useMemo(() => errorsByRow(view.errors, table), [view.errors, table])
  const logTicks = useLogTicks(view.traceId, view.waterfall.startTimeUnixNano, table)
  const failed = useMemo(
    () => Int32Array.from(new Set([...markedRows(table, MARK.error | MARK.exception), ...errorsAt.keys()])).sort(),
    [table, errorsAt],
  )
  const folds = useMemo(() => foldsOf(table, (row) => errorsAt.has(row)), [table, errorsAt])
  const tree = useTree({ table, folds, found: rows, visible, selected: address.span, open })
  const span = useSpan(view, address.span, opened)
  const duration = Math.max(1, table.traceDuration)
  const onWindow = (zoom: TimeWindow | undefined) =>
    change({ zoom: zoom === undefined || isWhole(zoom, duration) ? undefined : zoom })
  const chosen = { address, change, open, window, duration, onWindow }
  return { table, rest, ...chosen, search, searchBox, found, pieces, errorsAt, logTicks, failed, tree, span }
}

/** The spans of the selected finding as search results. A search that is typed takes precedence. */
function useFinding(
  table: WaterfallTable,
  findings: readonly Finding[],
  { finding, search }: TraceAddress,
  typed: SearchResult,
): SearchResult {
  const selected = search === "" ? findings.find((each) => findingKey(each) === finding) : undefined
  const rows = useMemo(
    () => (selected === undefined ? undefined : rowsOfSpans(table, selected.spanIds)),
    [table, selected],
  )
  return rows === undefined ? typed : { rows, state: "ready" }
}

function errorsByRow(errors: readonly ErrorMark[], table: WaterfallTable): ReadonlyMap<number, readonly number[]> {
  const byRow = new Map<number, number[]>()
  for (const { spanId, offsetNano } of errors) {
    const row = table.indexOf(spanId)
    if (row !== -1) byRow.set(row, [...(byRow.get(row) ?? []), offsetNano])
  }
  return byRow
}
