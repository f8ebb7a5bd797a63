"use client"

import { useMemo } from "react"
import { type PathPiece, pathTimes } from "#otel/inspector/queries/trace/critical-path.ts"
import { selfTimes } from "#otel/inspector/queries/trace/self-time.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import type { SpanVersions } from "../_state/use-span.ts"
import { KnownSpan } from "./known-span.tsx"
import { NoSpan, SpanPanel } from "./span-panel.tsx"
import { placeOf } from "./span-place.ts"

interface SpanSideProps {
  readonly traceId: string
  readonly spanId: string
  readonly versions: SpanVersions | undefined
  readonly isBusy: boolean
  readonly table: WaterfallTable
  readonly errors: readonly ErrorMark[]
  readonly path: readonly PathPiece[] | undefined
  readonly onOpen: (spanId: string | undefined) => void
  /** Searches within the trace. */
  readonly onSearch: (text: string) => void
  readonly onZoom: () => void
}

/** The selected span: loading, failed, unknown or shown. */
export function SpanSide({ traceId, spanId, versions, isBusy, table, errors, path, ...acts }: SpanSideProps) {
  const self = useMemo(() => selfTimes(table), [table])
  const onPath = useMemo(() => (path === undefined ? undefined : pathTimes(path)), [path])
  const row = table.indexOf(spanId)
  const place = useMemo(() => placeOf(table, row, self, onPath), [table, row, self, onPath])
  const close = () => acts.onOpen(undefined)
  if (isBusy)
    return place === undefined ? null : (
      <KnownSpan traceId={traceId} table={table} row={row} place={place} onClose={close} onZoom={acts.onZoom} />
    )
  if (versions === undefined) return <NoSpan why="failed" onClose={close} />
  const [span] = versions
  if (span === undefined) return <NoSpan why="unknown" onClose={close} />
  const own = errors.filter((error) => error.spanId === span.spanId)
  return <SpanPanel key={span.spanId} versions={versions} place={place} errors={own} traceId={traceId} {...acts} />
}
