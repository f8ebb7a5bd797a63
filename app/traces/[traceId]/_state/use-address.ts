"use client"

import { useSearchParams } from "next/navigation"
import { useCallback, useEffect, useRef, useState } from "react"
import { readAddress, type TraceAddress, writeAddress } from "./trace-address.ts"

/** Delay of URL updates in milliseconds: browsers limit calls of `replaceState`, and a drag changes the range continuously. */
export const SETTLED_MS = 200

export type ChangeAddress = (change: Partial<TraceAddress>) => void

/**
 * The state in the URL. A change applies at once; the URL follows without a request to the server. Links and the back button
 * change the state too.
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
    clearTimeout(timer.current)
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
      // Next adds its own state, and only then knows the URL: a refresh would replace one that it does not know.
      window.history.replaceState(null, "", window.location.pathname + search)
    }, SETTLED_MS)
  }, [])
  useEffect(() => {
    const cancel = () => clearTimeout(timer.current)
    // The URL is already that of another entry, perhaps of another screen, while this screen waits for it.
    window.addEventListener("popstate", cancel)
    return () => {
      cancel()
      window.removeEventListener("popstate", cancel)
    }
  }, [])
  return [address, change]
}
