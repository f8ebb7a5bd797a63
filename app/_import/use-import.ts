"use client"

import { useCallback, useRef, useState } from "react"
import { type ImportProgress, runImport } from "./run-import.ts"

export interface ImportState {
  readonly name: string
  /** Bytes of the file. */
  readonly size: number
  readonly phase: "sending" | "storing" | "done" | "cancelled" | "failed"
  readonly progress: ImportProgress | undefined
  /** Accepted records that were already older than the retention; `undefined` while unknown. */
  readonly expired: number | undefined
}

export interface Import {
  /** `undefined` before the first import. */
  readonly state: ImportState | undefined
  readonly start: (file: File) => void
  readonly cancel: () => void
  readonly dismiss: () => void
}

/** Runs one import at a time; `start` is ignored while one runs. */
export function useImport(): Import {
  const [state, setState] = useState<ImportState>()
  const running = useRef<AbortController>(undefined)
  const start = useCallback((file: File) => {
    if (running.current !== undefined) return
    const stop = new AbortController()
    running.current = stop
    const update = (change: Partial<ImportState>) => setState((before) => before && { ...before, ...change })
    setState({ name: file.name, size: file.size, phase: "sending", progress: undefined, expired: undefined })
    const importFile = async () => {
      const since = Date.now()
      const isGzip = /\.gz$/i.test(file.name)
      await runImport(file, isGzip, (progress) => update({ progress }), stop.signal)
      update({ phase: "storing" })
      const expired = await countExpired(since, stop.signal).catch(() => undefined)
      update({ phase: stop.signal.aborted ? "cancelled" : "done", expired })
    }
    importFile()
      .catch(() => update({ phase: stop.signal.aborted ? "cancelled" : "failed" }))
      .finally(() => {
        running.current = undefined
      })
  }, [])
  const cancel = useCallback(() => running.current?.abort(), [])
  const dismiss = useCallback(() => setState(undefined), [])
  return { state, start, cancel, dismiss }
}

/** Longest wait until the store has written every accepted record. */
const SETTLE_MS = 15_000
const POLL_MS = 400

interface Health {
  readonly queue?: { readonly depth?: number }
}

interface DroppedPage {
  readonly dropped?: readonly {
    readonly time: string
    readonly reason: string
    readonly category: string
    readonly count: number | string
  }[]
}

/**
 * Waits until the ingest queue is empty, then counts the records that expired since a moment: the receiver accepts old spans,
 * and the store drops them with the reason `expired`. Resolves with `undefined` when the queue does not drain in time.
 *
 * @param since Milliseconds since the epoch.
 */
async function countExpired(since: number, signal: AbortSignal): Promise<number | undefined> {
  const deadline = Date.now() + SETTLE_MS
  for (;;) {
    const health = (await (await fetch("/health", { signal })).json()) as Health
    if (health.queue?.depth === 0) break
    if (Date.now() > deadline) return undefined
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const { dropped = [] } = (await (await fetch("/api/dropped?limit=1000", { signal })).json()) as DroppedPage
  const recent = dropped.filter(({ reason, category, time }) => {
    // Errors extracted from spans are not counted: the file holds spans and log records.
    const isRecord = category === "span" || category === "log_item"
    return isRecord && reason === "expired" && millisecondsOf(time) >= since
  })
  return recent.reduce((sum, { count }) => sum + Number(count), 0)
}

/** Nanoseconds as text, or a date. */
function millisecondsOf(time: string): number {
  return /^\d+$/.test(time) ? Number(BigInt(time) / 1_000_000n) : Date.parse(time)
}
