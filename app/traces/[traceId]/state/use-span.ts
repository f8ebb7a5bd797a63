"use client"

import { useEffect, useState } from "react"
import type { SpanDetail } from "#otel/query/span-detail.ts"
import { askJson } from "./use-asked.ts"

/** A span as each protocol told it, OTLP first. Empty when the trace has none with the id. */
export type ToldSpan = readonly SpanDetail[]

export interface OpenedSpan {
  /** The span that was read last: it stays until the next one is here. `undefined` when it could not be read. */
  readonly told: ToldSpan | undefined
  readonly isBusy: boolean
}

/** Spans that are kept, so that going back and forth asks once. */
const KEPT = 200
const ID = /^[0-9a-f]{16}$/

interface Known {
  /** By id. */
  readonly spans: ReadonlyMap<string, ToldSpan | undefined>
  /** Which of them came last. */
  readonly last: string | undefined
}

/** @param first what came with the page for the span that its address names. */
export function useSpan(traceId: string, spanId: string | undefined, first: ToldSpan | undefined): OpenedSpan {
  const [known, setKnown] = useState<Known>(() => startWith(spanId, first))
  const isKnown = spanId === undefined || known.spans.has(spanId)
  useEffect(() => {
    if (spanId === undefined || isKnown) return undefined
    const stop = new AbortController()
    const ask = async () => {
      const told = ID.test(spanId) ? await read(traceId, spanId, stop.signal) : []
      if (stop.signal.aborted) return
      setKnown(({ spans }) => ({ spans: new Map([...[...spans].slice(-KEPT), [spanId, told]]), last: spanId }))
    }
    void ask()
    return () => stop.abort()
  }, [traceId, spanId, isKnown])
  const shown = isKnown ? spanId : known.last
  return { told: shown === undefined ? undefined : known.spans.get(shown), isBusy: !isKnown }
}

function startWith(spanId: string | undefined, first: ToldSpan | undefined): Known {
  if (spanId === undefined || first === undefined) return { spans: new Map(), last: undefined }
  return { spans: new Map([[spanId, first]]), last: spanId }
}

async function read(traceId: string, spanId: string, signal: AbortSignal): Promise<ToldSpan | undefined> {
  return (await askJson<{ told: ToldSpan }>(`/api/traces/${traceId}/spans/${spanId}`, signal))?.told
}
