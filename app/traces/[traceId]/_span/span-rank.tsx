"use client"

import type { BackLink } from "#otel/inspector/queries/list/trace-reader.ts"
import { type Asked, useAsked } from "../_state/use-json.ts"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import styles from "./span-panel.module.css"

/** What the store knows of a span beyond its trace. 64-bit numbers are text. */
export interface SpanAround {
  readonly peers: {
    readonly count: number
    readonly isCapped: boolean
    /** `null` while there are too few of them. */
    readonly percentile: number | null
    readonly p50Nano: string
    readonly p95Nano: string
    readonly slowestNano: string
  }
  readonly backLinks: readonly BackLink[]
}

export type AroundAnswer = Asked<SpanAround>

/** Spans that are only passed by with the arrow keys are not asked for. */
const STAYED_MS = 200

/** Asked for after the span itself, which does not wait for it. */
export function useSpanContext(traceId: string, spanId: string | undefined): AroundAnswer {
  return useAsked(spanId === undefined ? undefined : `/api/traces/${traceId}/spans/${spanId}/context`, STAYED_MS)
}

/** From here on a span is told apart as slow. */
const SLOW_PERCENTILE = 95

/** Where the duration stands among the spans of the same service and name. */
export function SpanRank({ around }: { around: AroundAnswer }) {
  if (around === undefined || around === "asking") return <p className={styles.rank}>Comparing with its like…</p>
  if (around === "failed") return <p className={styles.rank}>The store has no answer on its like.</p>
  const { count, isCapped, percentile, p50Nano, p95Nano, slowestNano } = around.value.peers
  if (percentile === null)
    return <p className={styles.rank}>{countOf(count, "span")} of this service and name: too few to compare.</p>
  return (
    <p className={styles.rank}>
      <strong className={styles.badge} data-slow={percentile >= SLOW_PERCENTILE}>
        p{percentile}
      </strong>{" "}
      slower than {percentile} % of {isCapped ? "the newest " : ""}
      {formatCount(count)} of this service and name
      <small>
        {" "}
        median {formatDuration(BigInt(p50Nano))}, p95 {formatDuration(BigInt(p95Nano))}, slowest{" "}
        {formatDuration(BigInt(slowestNano))}
      </small>
    </p>
  )
}
