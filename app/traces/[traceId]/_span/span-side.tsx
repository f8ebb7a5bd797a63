"use client"

import { useMemo } from "react"
import { clockSkew } from "#otel/inspector/queries/trace/clock-skew.ts"
import { type PathPiece, pathTimes } from "#otel/inspector/queries/trace/critical-path.ts"
import { spanPath } from "#otel/inspector/queries/trace/event-of-span.ts"
import { selfTimes } from "#otel/inspector/queries/trace/self-time.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-json.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import type { ToldSpan } from "../_state/use-span.ts"
import { KnownSpan } from "./known-span.tsx"
import { NoSpan, SpanPanel } from "./span-panel.tsx"

/** Where a span stands in its trace: what the waterfall knows of it, beside what it tells itself. Nanoseconds. */
export interface SpanPlace {
  readonly offset: number
  readonly self: number
  readonly childCount: number
  readonly descendantCount: number
  /** `undefined` when it has no parent, or its parent has not arrived. */
  readonly parent: { readonly name: string; readonly spanId: string } | undefined
  /** By how much it starts before its parent; `undefined` when the clocks give no reason for doubt. */
  readonly skew: ReturnType<typeof clockSkew> | undefined
  /** Ids of it and of those that it ran in, the nearest first. */
  readonly path: readonly string[]
  /** How much of the critical path it is; `undefined` while that is not shown. */
  readonly onPath: number | undefined
}

interface SpanSideProps {
  readonly traceId: string
  readonly spanId: string
  readonly told: ToldSpan | undefined
  readonly isBusy: boolean
  readonly table: WaterfallTable
  readonly errors: readonly ErrorMark[]
  readonly path: readonly PathPiece[] | undefined
  readonly onOpen: (spanId: string | undefined) => void
  /** Searches within the trace. */
  readonly onSearch: (text: string) => void
  readonly onZoom: () => void
}

/** The opened span: what was told of it, and where it stands. */
export function SpanSide({ traceId, spanId, told, isBusy, table, errors, path, ...acts }: SpanSideProps) {
  const self = useMemo(() => selfTimes(table), [table])
  const onPath = useMemo(() => (path === undefined ? undefined : pathTimes(path)), [path])
  const row = table.indexOf(spanId)
  const place = useMemo(() => placeOf(table, row, self, onPath), [table, row, self, onPath])
  const close = () => acts.onOpen(undefined)
  if (isBusy)
    return place === undefined ? null : (
      <KnownSpan traceId={traceId} table={table} row={row} place={place} onClose={close} onZoom={acts.onZoom} />
    )
  if (told === undefined) return <NoSpan why="failed" onClose={close} />
  const [span] = told
  if (span === undefined) return <NoSpan why="unknown" onClose={close} />
  const own = errors.filter((error) => error.spanId === span.spanId)
  return <SpanPanel key={span.spanId} told={told} place={place} errors={own} traceId={traceId} {...acts} />
}

function placeOf(
  table: WaterfallTable,
  row: number,
  self: Float64Array,
  onPath: ReadonlyMap<number, number> | undefined,
): SpanPlace | undefined {
  if (row === -1) return undefined
  const parent = table.parent[row] ?? -1
  const interval = (of: number) => ({ offset: table.offset[of] ?? 0, duration: table.duration[of] ?? 0 })
  return {
    offset: table.offset[row] ?? 0,
    self: self[row] ?? 0,
    childCount: table.childCount[row] ?? 0,
    descendantCount: table.descendantCount[row] ?? 0,
    parent: parent === -1 ? undefined : { name: table.name(parent), spanId: table.spanId(parent) },
    skew: table.has(row, MARK.skewed) && parent !== -1 ? clockSkew(interval(row), interval(parent)) : undefined,
    path: spanPath(table, row),
    onPath: onPath === undefined ? undefined : (onPath.get(row) ?? 0),
  }
}
