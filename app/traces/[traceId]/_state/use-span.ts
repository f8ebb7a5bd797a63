"use client"

import { useEffect, useState } from "react"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import { fetchJson } from "./use-json.ts"

/** A span as received over each protocol, OTLP first. Empty if the trace has no span with the id. */
export type SpanVersions = readonly SpanDetail[]

export interface OpenedSpan {
  /** `undefined` while loading, and after a failure. */
  readonly versions: SpanVersions | undefined
  readonly isBusy: boolean
}

/** Spans cached, so that going back and forth sends no requests. */
const CACHED = 200
const ID = /^[0-9a-f]{16}$/

/** @param first the span in the URL, rendered with the page. */
export function useSpan(traceId: string, spanId: string | undefined, first: SpanVersions | undefined): OpenedSpan {
  const [known, setKnown] = useState<ReadonlyMap<string, SpanVersions | undefined>>(
    () => new Map(spanId === undefined || first === undefined ? [] : [[spanId, first]]),
  )
  const isKnown = spanId === undefined || known.has(spanId)
  useEffect(() => {
    if (spanId === undefined || isKnown) return undefined
    const stop = new AbortController()
    const load = async () => {
      const versions = ID.test(spanId) ? await read(traceId, spanId, stop.signal) : []
      if (!stop.signal.aborted) setKnown((before) => new Map([...[...before].slice(-CACHED), [spanId, versions]]))
    }
    void load()
    return () => stop.abort()
  }, [traceId, spanId, isKnown])
  return { versions: spanId === undefined ? undefined : known.get(spanId), isBusy: !isKnown }
}

async function read(traceId: string, spanId: string, signal: AbortSignal): Promise<SpanVersions | undefined> {
  return (await fetchJson<{ spans: SpanVersions }>(`/api/traces/${traceId}/spans/${spanId}`, signal))?.spans
}
