"use client"

import { useEffect, useState } from "react"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import { askJson } from "./use-asked.ts"

/** A span as each protocol told it, OTLP first. Empty when the trace has none with the id. */
export type ToldSpan = readonly SpanDetail[]

export interface OpenedSpan {
  /** `undefined` while it is on its way, and when it could not be read. */
  readonly told: ToldSpan | undefined
  readonly isBusy: boolean
}

/** Spans that are kept, so that going back and forth asks once. */
const KEPT = 200
const ID = /^[0-9a-f]{16}$/

/** @param first what came with the page for the span that its address names. */
export function useSpan(traceId: string, spanId: string | undefined, first: ToldSpan | undefined): OpenedSpan {
  const [known, setKnown] = useState<ReadonlyMap<string, ToldSpan | undefined>>(
    () => new Map(spanId === undefined || first === undefined ? [] : [[spanId, first]]),
  )
  const isKnown = spanId === undefined || known.has(spanId)
  useEffect(() => {
    if (spanId === undefined || isKnown) return undefined
    const stop = new AbortController()
    const ask = async () => {
      const told = ID.test(spanId) ? await read(traceId, spanId, stop.signal) : []
      if (!stop.signal.aborted) setKnown((before) => new Map([...[...before].slice(-KEPT), [spanId, told]]))
    }
    void ask()
    return () => stop.abort()
  }, [traceId, spanId, isKnown])
  return { told: spanId === undefined ? undefined : known.get(spanId), isBusy: !isKnown }
}

async function read(traceId: string, spanId: string, signal: AbortSignal): Promise<ToldSpan | undefined> {
  return (await askJson<{ spans: ToldSpan }>(`/api/traces/${traceId}/spans/${spanId}`, signal))?.spans
}
