"use client"

import { useSearchParams } from "next/navigation"
import { useCallback, useEffect, useRef, useState } from "react"
import { readAddress, type TraceAddress, writeAddress } from "./trace-address.ts"

/** Browsers refuse an address that changes too often; while one drags, it waits. */
const SETTLED_MS = 200

export type ChangeAddress = (change: Partial<TraceAddress>) => void

/**
 * What is in the address, as state: it changes at once, and the address follows without asking the server for anything. A link
 * or the back button that changes the address changes the state.
 */
export function useAddress(): readonly [TraceAddress, ChangeAddress] {
  const parameters = useSearchParams()
  const [address, setAddress] = useState(() => readAddress(parameters))
  const written = useRef(parameters.toString())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    const text = parameters.toString()
    if (text === written.current) return
    written.current = text
    setAddress(readAddress(parameters))
  }, [parameters])

  const pending = useRef<TraceAddress>(undefined)
  const change = useCallback((step: Partial<TraceAddress>) => {
    setAddress((before) => {
      const next = { ...before, ...step }
      pending.current = next
      return next
    })
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      if (pending.current === undefined) return
      const search = writeAddress(pending.current)
      written.current = new URLSearchParams(search).toString()
      window.history.replaceState(window.history.state, "", window.location.pathname + search)
    }, SETTLED_MS)
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return [address, change]
}
