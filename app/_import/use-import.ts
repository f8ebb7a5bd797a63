"use client"

import { useCallback, useRef, useState } from "react"
import { type ImportProgress, runImport } from "./run-import.ts"

export interface ImportState {
  readonly name: string
  /** Bytes of the file. */
  readonly size: number
  readonly phase: "sending" | "storing" | "done" | "cancelled" | "failed"
  readonly progress: ImportProgress | undefined
  /** Spans that were taken and were past the retention; `undefined` when that cannot be told. */
  readonly expired: number | undefined
}

export interface Import {
  /** `undefined` when nothing was imported yet. */
  readonly state: ImportState | undefined
  readonly start: (file: File) => void
  readonly cancel: () => void
  readonly dismiss: () => void
}

/** One import at a time: another file begins when the one before it has ended. */
export function useImport(): Import {
  const [state, setState] = useState<ImportState>()
  const running = useRef<AbortController>(undefined)
  const start = useCallback((file: File) => {
    if (running.current !== undefined) return
    const stop = new AbortController()
    running.current = stop
    const update = (change: Partial<ImportState>) => setState((before) => before && { ...before, ...change })
    setState({ name: file.name, size: file.size, phase: "sending", progress: undefined, expired: undefined })
    const whole = async () => {
      const since = Date.now()
      const isGzip = /\.gz$/i.test(file.name)
      await runImport(file, isGzip, (progress) => update({ progress }), stop.signal)
      update({ phase: "storing" })
      const expired = await countExpired(since, stop.signal).catch(() => undefined)
      update({ phase: stop.signal.aborted ? "cancelled" : "done", expired })
    }
    whole()
      .catch(() => update({ phase: stop.signal.aborted ? "cancelled" : "failed" }))
      .finally(() => {
        running.current = undefined
      })
  }, [])
  const cancel = useCallback(() => running.current?.abort(), [])
  const dismiss = useCallback(() => setState(undefined), [])
  return { state, start, cancel, dismiss }
}

/** Until all that was taken is stored; a store that is away is not waited for. */
const SETTLE_MS = 15_000
const POLL_MS = 400

interface Health {
  readonly queue?: { readonly depth?: number }
}

interface Drops {
  readonly drops?: readonly {
    readonly time: string
    readonly reason: string
    readonly category: string
    readonly count: number | string
  }[]
}

/**
 * Waits until the store has what was taken, then asks how much of it was past the retention since a moment: a handler takes old
 * spans, and the store counts them as lost. `undefined` when that cannot be told.
 *
 * @param since Milliseconds since the epoch.
 */
export async function countExpired(since: number, signal: AbortSignal): Promise<number | undefined> {
  const deadline = Date.now() + SETTLE_MS
  for (;;) {
    const health = (await (await fetch("/health", { signal })).json()) as Health
    if (health.queue?.depth === 0) break
    if (Date.now() > deadline) return undefined
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const { drops = [] } = (await (await fetch("/api/dropped?limit=1000", { signal })).json()) as Drops
  const recent = drops.filter(({ reason, category, time }) => {
    // Not the errors that are read out of spans: a person counts what the file holds.
    const isOwn = category === "span" || category === "log_item"
    return isOwn && reason === "expired" && millisecondsOf(time) >= since
  })
  return recent.reduce((sum, { count }) => sum + Number(count), 0)
}

/** Nanoseconds as text, or a date. */
function millisecondsOf(time: string): number {
  return /^\d+$/.test(time) ? Number(BigInt(time) / 1_000_000n) : Date.parse(time)
}
