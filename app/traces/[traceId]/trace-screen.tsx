"use client"

import { usePathname, useRouter, useSearchParams } from "next/navigation"
import { useCallback, useMemo, useOptimistic, useState, useTransition, type KeyboardEvent, type ReactNode } from "react"
import type { WaterfallJson } from "#otel/query/waterfall-json.ts"
import { readWaterfall } from "#otel/query/waterfall-table.ts"
import { useLive } from "#app/feed/use-live.ts"
import { countOf } from "#app/ui/format-count.ts"
import styles from "./trace-screen.module.css"
import { WaterfallGrid } from "./waterfall/waterfall-grid.tsx"

interface TraceScreenProps {
  readonly traceId: string
  readonly waterfall: WaterfallJson
  readonly header: ReactNode
  /** The opened span. */
  readonly children: ReactNode
}

/** Waterfall and opened span side by side. Which span is open is in the address, so that it can be linked to. */
export function TraceScreen({ traceId, waterfall, header, children }: TraceScreenProps) {
  const router = useRouter()
  const pathname = usePathname()
  const inAddress = useSearchParams().get("span")?.toLowerCase() ?? undefined
  const [pending, startTransition] = useTransition()
  const [selected, setSelected] = useOptimistic(inAddress)
  const table = useMemo(() => readWaterfall(waterfall), [waterfall])

  const open = useCallback(
    (spanId: string | undefined) =>
      startTransition(() => {
        setSelected(spanId)
        router.replace(spanId === undefined ? pathname : `${pathname}?span=${spanId}`, { scroll: false })
      }),
    [pathname, router, setSelected],
  )
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === "Escape" && selected !== undefined) open(undefined)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape works from wherever the focus is inside
    <div className={styles.screen} onKeyDown={closeOnEscape}>
      {header}
      <LateSpans traceId={traceId} waterfall={waterfall} />
      <div className={styles.halves} data-open={selected !== undefined}>
        <WaterfallGrid table={table} services={waterfall.services} selected={selected} onOpen={open} />
        <section aria-label="Opened span" className={styles.panel} aria-busy={pending}>
          {children}
        </section>
      </div>
    </div>
  )
}

/** Spans of this trace that came after it was read: offered, so that no row moves by itself. */
function LateSpans({ traceId, waterfall }: { traceId: string; waterfall: WaterfallJson }) {
  const router = useRouter()
  const [late, setLate] = useState({ waterfall, count: 0 })
  if (late.waterfall !== waterfall) setLate({ waterfall, count: 0 })
  useLive({
    traces: (deltas) => {
      const count = deltas.reduce((sum, delta) => sum + (delta.traceId === traceId ? delta.spanCount : 0), 0)
      if (count > 0) setLate((before) => ({ ...before, count: before.count + count }))
    },
  })
  if (late.count === 0) return null
  return (
    <output className={styles.late}>
      {countOf(late.count, "more span")} arrived.{" "}
      <button type="button" onClick={() => router.refresh()}>
        Show
      </button>
    </output>
  )
}
