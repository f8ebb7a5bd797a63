"use client"

import Link from "next/link"
import { useState } from "react"
import { useLive } from "#app/_live/use-live.ts"
import { isForeign } from "./address.ts"
import { Age } from "#app/_ui/format/age.tsx"
import { DoneIcon } from "#app/_ui/format/icons.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import styles from "./first-span.module.css"

interface FirstSpanProps {
  /** The latest trace of somebody else that is stored. */
  readonly latest: TraceSummaryJson | undefined
  /** Pagespan's own services, which prove nothing: this very page would be the first. */
  readonly internalServices: readonly string[]
  readonly renderedAt: number
}

/** Waits for a span to arrive and then says which, at once: the answer to “does it work?”. */
export function FirstSpan({ latest, internalServices, renderedAt }: FirstSpanProps) {
  const [arrived, setArrived] = useState(latest)
  useLive({
    traces: (deltas) =>
      setArrived((before) => deltas.findLast(({ services }) => isForeign(services, internalServices)) ?? before),
  })
  // What is announced is the verdict alone: the trace and its age change all the time.
  return (
    <div className={styles.first} data-arrived={arrived !== undefined}>
      {arrived === undefined ? <span className={styles.pulse} aria-hidden="true" /> : <DoneIcon />}
      <p>
        <output>{arrived === undefined ? "Waiting for your first span" : "Receiving."}</output>
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
      from {shownName(trace.services[0] ?? "")}, <Age unixNano={trace.startTimeUnixNano} renderedAt={renderedAt} /> ago
    </>
  )
}
