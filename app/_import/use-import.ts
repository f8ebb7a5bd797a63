"use client"

import { useCallback, useRef, useState } from "react"
import { countExpired } from "./expired.ts"
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
