"use client"

import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import type { BackLink } from "#otel/inspector/queries/list/trace-reader.ts"
import { type JsonResult, useJson } from "../_state/use-json.ts"
import styles from "./span-panel.module.css"

/** Response of `GET /api/traces/{t}/spans/{s}/context`. 64-bit numbers are strings. */
interface SpanContext {
  readonly peers: {
    readonly count: number
    readonly isCapped: boolean
    /** `null` with too few peers. */
    readonly percentile: number | null
    readonly p50Nano: string
    readonly p95Nano: string
    readonly slowestNano: string
  }
  readonly backLinks: readonly BackLink[]
  /** `null` if neither the span nor its trace has one. */
  readonly sessionId: string | null
}

export type ContextResult = JsonResult<SpanContext>

/** Delay in milliseconds, so that moving through the tree with arrow keys sends no requests. */
const SETTLED_MS = 200

/** Fetches the relations of a span beyond its trace. */
export function useSpanContext(traceId: string, spanId: string | undefined): ContextResult {
  return useJson(spanId === undefined ? undefined : `/api/traces/${traceId}/spans/${spanId}/context`, SETTLED_MS)
}

/** Spans from this percentile on are marked as slow. */
const SLOW_PERCENTILE = 95

/** Percentile of the duration among spans with the same service and name. */
export function SpanRank({ context }: { context: ContextResult }) {
  if (context === undefined || context === "loading")
    return <p className={styles.rank}>Comparing with similar spans…</p>
  if (context === "failed") return <p className={styles.rank}>Similar spans could not be loaded.</p>
  const { count, isCapped, percentile, p50Nano, p95Nano, slowestNano } = context.value.peers
  if (percentile === null) return <p className={styles.rank}>{countOf(count, "similar span")}: too few to compare.</p>
  return (
    <p className={styles.rank}>
      <strong className={styles.badge} data-slow={percentile >= SLOW_PERCENTILE}>
        p{percentile}
      </strong>{" "}
      slower than {percentile} % of {isCapped ? "the newest " : ""}
      {formatCount(count)} similar spans
      <small>
        {" · "}
        median {formatDuration(BigInt(p50Nano))}, p95 {formatDuration(BigInt(p95Nano))}, slowest{" "}
        {formatDuration(BigInt(slowestNano))}
      </small>
    </p>
  )
}
