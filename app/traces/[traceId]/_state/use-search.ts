"use client"

import { useDeferredValue, useMemo } from "react"
import { findRows, isEmptySearch, parseSpanSearch } from "#otel/inspector/queries/trace/span-search.ts"
import { SPAN_ID_LENGTH } from "#otel/inspector/queries/trace/columns/span-ids.ts"
import { markedOf, rowsOfSpans, type WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { useJson } from "./use-json.ts"

export interface SearchResult {
  /** Matching rows in order; `undefined` without a search. */
  readonly rows: Int32Array | undefined
  readonly state: "ready" | "loading" | "failed"
}

/** Delay in milliseconds before a search request while the user types. */
const TYPED_MS = 150

/** Searches loaded data at once; attributes are searched by the server. */
export function useSearch(table: WaterfallTable, traceId: string, typed: string): SearchResult {
  const text = useDeferredValue(typed)
  const search = useMemo(() => parseSpanSearch(text), [text])
  const needsServer = search.attributes.length > 0
  const result = useJson<{ ids: string }>(
    needsServer ? `/api/traces/${traceId}/search?q=${encodeURIComponent(text)}` : undefined,
    TYPED_MS,
  )
  const ids = typeof result === "object" ? result.value.ids : undefined
  const state = typeof result === "string" ? result : "ready"
  const rows = useMemo(() => {
    if (isEmptySearch(search) || state !== "ready") return undefined
    const local = findRows(table, search)
    if (ids === undefined) return local
    const among = markedOf(table, rowsOfSpans(table, split(ids)))
    return local.filter((row) => among[row] === 1)
  }, [search, state, table, ids])
  return { rows, state }
}

function split(ids: string): string[] {
  return Array.from({ length: ids.length / SPAN_ID_LENGTH }, (_, index) =>
    ids.slice(index * SPAN_ID_LENGTH, (index + 1) * SPAN_ID_LENGTH),
  )
}
