"use client"

import Link from "next/link"
import { useState } from "react"
import { isForeign } from "#app/_live/is-foreign.ts"
import { useLive } from "#app/_live/use-live.ts"
import { Age } from "#app/_ui/format/age.tsx"
import { DoneIcon } from "#app/_ui/format/icons.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import styles from "./first-span.module.css"

interface FirstSpanProps {
  /** Latest stored trace of a connected application. */
  readonly latest: TraceSummaryJson | undefined
  /** Pagespan's own services, which do not count as connected. */
  readonly internalServices: readonly string[]
  readonly renderedAt: number
}

/** Waits for the first span of an application and shows the latest trace as it arrives. */
export function FirstSpan({ latest, internalServices, renderedAt }: FirstSpanProps) {
  const [arrived, setArrived] = useState(latest)
  useLive({
    traces: (deltas) =>
      setArrived((before) => deltas.findLast(({ services }) => isForeign(services, internalServices)) ?? before),
  })
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
