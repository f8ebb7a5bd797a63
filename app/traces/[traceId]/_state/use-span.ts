"use client"

import { useEffect, useState } from "react"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"
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

/** A span without details: its request failed, or the trace does not have it, with no versions. */
interface MissingSpan {
  readonly spanId: string
  readonly versions: SpanVersions | undefined
}

/**
 * The details of the selected span. A span that is missing is requested again when it is selected again, and when the page is
 * refreshed.
 *
 * @param view the trace; a new object for each refresh of the page.
 * @param first the span in the URL, rendered with the page.
 */
export function useSpan(view: TraceView, spanId: string | undefined, first: SpanVersions | undefined): OpenedSpan {
  const [found, setFound] = useState(() => withFound(new Map(), first ?? []))
  const [missing, setMissing] = useState<MissingSpan | undefined>(() =>
    spanId !== undefined && first?.length === 0 ? { spanId, versions: first } : undefined,
  )
  const [shown, setShown] = useState({ view, spanId })
  if (shown.view !== view || shown.spanId !== spanId) {
    setShown({ view, spanId })
    setMissing(undefined)
    if (shown.view !== view) setFound((before) => withFound(before, first ?? []))
  }
  const known = spanId === undefined ? undefined : found.get(spanId)
  const absent = missing?.spanId === spanId ? missing : undefined
  const isBusy = spanId !== undefined && known === undefined && absent === undefined
  useEffect(() => {
    if (spanId === undefined || !isBusy) return undefined
    const stop = new AbortController()
    const load = async () => {
      const versions = ID.test(spanId) ? await read(view.traceId, spanId, stop.signal) : []
      if (stop.signal.aborted) return
      if (versions === undefined || versions.length === 0) setMissing({ spanId, versions })
      else setFound((before) => withFound(before, versions))
    }
    void load()
    return () => stop.abort()
  }, [view, spanId, isBusy])
  return { versions: known ?? absent?.versions, isBusy }
}

type FoundSpans = ReadonlyMap<string, SpanVersions>

function withFound(before: FoundSpans, versions: SpanVersions): FoundSpans {
  const [span] = versions
  return span === undefined ? before : new Map([...[...before].slice(-CACHED), [span.spanId, versions]])
}

async function read(traceId: string, spanId: string, signal: AbortSignal): Promise<SpanVersions | undefined> {
  return (await fetchJson<{ spans: SpanVersions }>(`/api/traces/${traceId}/spans/${spanId}`, signal))?.spans
}
