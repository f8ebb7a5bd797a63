"use client"

import { useDeferredValue, useMemo } from "react"
import { findRows, isEmptySearch, parseSpanSearch } from "#otel/inspector/queries/trace/span-search.ts"
import { SPAN_ID_LENGTH } from "#otel/inspector/queries/trace/waterfall-json.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { useAsked } from "./use-json.ts"

export interface SearchResult {
  /** Rows that fit, in order; `undefined` when nothing is searched for. */
  readonly rows: readonly number[] | undefined
  readonly state: "here" | "asking" | "failed"
}

/** A word that is still being typed is not asked for. */
const TYPED_MS = 150

/** What the page knows itself is found at once; attributes are asked for. */
export function useSearch(table: WaterfallTable, traceId: string, typed: string): SearchResult {
  const text = useDeferredValue(typed)
  const search = useMemo(() => parseSpanSearch(text), [text])
  const asks = search.attributes.length > 0
  const asked = useAsked<{ ids: string }>(
    asks ? `/api/traces/${traceId}/search?q=${encodeURIComponent(text)}` : undefined,
    TYPED_MS,
  )
  const ids = typeof asked === "object" ? asked.value.ids : undefined
  const state = typeof asked === "string" ? asked : "here"
  const rows = useMemo(() => {
    if (isEmptySearch(search) || state !== "here") return undefined
    const local = findRows(table, search)
    if (ids === undefined) return local
    const among = new Set(split(ids))
    return local.filter((row) => among.has(table.spanId(row)))
  }, [search, state, table, ids])
  return { rows, state }
}

function split(ids: string): string[] {
  return Array.from({ length: ids.length / SPAN_ID_LENGTH }, (_, index) =>
    ids.slice(index * SPAN_ID_LENGTH, (index + 1) * SPAN_ID_LENGTH),
  )
}
