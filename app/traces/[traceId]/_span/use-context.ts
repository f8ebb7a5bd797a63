"use client"

import type { BackLink } from "#otel/inspector/queries/list/trace-reader.ts"
import { type Asked, useAsked } from "../_state/use-asked.ts"

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
