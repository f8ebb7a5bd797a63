"use client"

import Link from "next/link"
import { useState } from "react"
import { isForeign } from "#app/_live/is-foreign.ts"
import { useLiveRefresh } from "#app/_live/use-live-refresh.ts"
import { useLive } from "#app/_live/use-live.ts"
import { Age } from "#app/_ui/format/age.tsx"
import { DoneIcon } from "#app/_ui/format/icons.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { newestFirst, type TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import styles from "./first-span.module.css"

interface FirstSpanProps {
  /** Latest stored trace of a connected application. */
  readonly latest: TraceSummaryJson | undefined
  /** Pagespan's own services, which do not count as connected. */
  readonly internalServices: readonly string[]
  readonly renderedAt: number
}

const REFRESH_MS = 2_000

/**
 * Waits for the first span of an application and shows the latest trace as it arrives. A refresh shows those that the live feed
 * did not have, such as while the tab was hidden.
 */
export function FirstSpan({ latest, internalServices, renderedAt }: FirstSpanProps) {
  const [live, setLive] = useState<TraceSummaryJson>()
  const { refresh } = useLiveRefresh({ services: internalServices, isHidden: true }, REFRESH_MS, false)
  useLive({
    traces: (deltas) =>
      setLive((before) => deltas.findLast(({ services }) => isForeign(services, internalServices)) ?? before),
    resumed: refresh,
  })
  const arrived = live !== undefined && (latest === undefined || newestFirst(live, latest) < 0) ? live : latest
  // Only the state is announced: the trace and its age change constantly.
  return (
    <div className={styles.first} data-arrived={arrived !== undefined}>
      {arrived === undefined ? <span className={styles.pulse} aria-hidden="true" /> : <DoneIcon />}
      <p>
        <output>{arrived === undefined ? "Waiting for your first span" : "Receiving data."}</output>
        {arrived !== undefined && <Latest trace={arrived} renderedAt={renderedAt} />}
      </p>
    </div>
  )
}

function Latest({ trace, renderedAt }: { trace: TraceSummaryJson; renderedAt: number }) {
  return (
    <>
      {" "}
      Latest:{" "}
      <Link href={`/traces/${trace.traceId}`} prefetch={false}>
        {shownName(trace.name)}
      </Link>{" "}
      from {shownName(trace.services[0] ?? "")},{" "}
      <Age unixNano={trace.startTimeUnixNano} renderedAt={renderedAt} suffix />
    </>
  )
}
