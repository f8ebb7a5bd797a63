"use client"

import { useEffect, useRef } from "react"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"
import { FlameGraph } from "./_canvas/flame-graph.tsx"
import { Minimap } from "./_canvas/minimap.tsx"
import { usePalette } from "./_canvas/use-palette.ts"
import { TraceLogs } from "./_logs/trace-logs.tsx"
import { SpanSide } from "./_span/span-side.tsx"
import { useTraceActions } from "./_state/use-trace-actions.ts"
import { useTrace } from "./_state/use-trace.ts"
import { WaterfallGrid } from "./_waterfall/waterfall-grid.tsx"
import { FindingStrip } from "./finding-strip.tsx"
import { LateSpans } from "./late-spans.tsx"
import { TraceBar } from "./trace-bar.tsx"
import { TraceHeader } from "./trace-header.tsx"
import { TraceNotices } from "./trace-notices.tsx"
import styles from "./trace-screen.module.css"

interface TraceScreenProps {
  readonly view: TraceView
  /** The selected span; `undefined` without one. */
  readonly opened: readonly SpanDetail[] | undefined
}

/** One trace: minimap on top, spans below, the selected span beside them. */
export function TraceScreen({ view, opened }: TraceScreenProps) {
  const { traceId, waterfall, vitals, errors } = view
  const state = useTrace(view, opened)
  const actions = useTraceActions(state)
  const { table, address, change, open, onWindow, span } = state
  const palette = usePalette(table.services)
  const selected = address.span
  const panel = useShownPanel(selected)
  return (
    <div className={styles.screen}>
      <TraceHeader view={view} onOpen={open} />
      <TraceNotices waterfall={waterfall} rest={state.rest} loaded={table.length} />
      <LateSpans traceId={traceId} waterfall={waterfall} />
      <FindingStrip
        findings={view.findings}
        duration={state.duration}
        selected={address.search === "" ? address.finding : undefined}
        onSelect={actions.toFinding}
      />
      <TraceBar state={state} actions={actions} />
      <Minimap
        table={table}
        palette={palette}
        window={state.window}
        onWindow={onWindow}
        onReset={() => onWindow(undefined)}
      />
      <div className={styles.halves} data-open={selected !== undefined}>
        {address.view === "flame" && <FlameGraph state={state} palette={palette} />}
        {address.view === "logs" && <TraceLogs traceId={traceId} start={waterfall.startTimeUnixNano} state={state} />}
        {address.view === "tree" && <WaterfallGrid state={state} vitals={vitals} />}
        <section ref={panel} aria-label="Selected span" className={styles.panel} aria-busy={span.isBusy}>
          {selected !== undefined && (
            <SpanSide
              traceId={traceId}
              spanId={selected}
              versions={span.versions}
              isBusy={span.isBusy}
              table={table}
              errors={errors}
              path={state.pieces}
              onOpen={open}
              onSearch={(text) => change({ search: text, finding: undefined, hides: true })}
              onZoom={actions.zoomToSpan}
            />
          )}
        </section>
      </div>
    </div>
  )
}

/**
 * Scrolls to the panel of a span that is opened. In a narrow window, as at a zoom of 200 %, it is below the spans, and the page
 * scrolls. Elsewhere the panel is in view.
 */
function useShownPanel(selected: string | undefined) {
  const panel = useRef<HTMLElement>(null)
  const wasOpen = useRef(selected !== undefined)
  useEffect(() => {
    const opens = selected !== undefined && !wasOpen.current
    wasOpen.current = selected !== undefined
    if (opens) panel.current?.scrollIntoView({ block: "nearest" })
  }, [selected])
  return panel
}
