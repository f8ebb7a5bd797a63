"use client"

import { useEffect, useState } from "react"

/** An answer of the read API: `undefined` while nothing is asked for. */
export type Asked<T> = { readonly value: T } | "asking" | "failed" | undefined

/**
 * Asks for what is at an address, again whenever the address changes; what nobody waits for any more is broken off.
 *
 * @param address `undefined` asks for nothing.
 * @param delayMs until it asks: for what changes with every key that is pressed.
 */
export function useAsked<T>(address: string | undefined, delayMs = 0): Asked<T> {
  const [answer, setAnswer] = useState<{ readonly address: string; readonly value: T | undefined }>()
  useEffect(() => {
    if (address === undefined) return undefined
    const stop = new AbortController()
    const ask = async () => {
      const value = await askJson<T>(address, stop.signal)
      if (!stop.signal.aborted) setAnswer({ address, value })
    }
    const timer = setTimeout(() => void ask(), delayMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [address, delayMs])
  if (address === undefined) return undefined
  if (answer?.address !== address) return "asking"
  return answer.value === undefined ? "failed" : { value: answer.value }
}

/** `undefined` when there was no answer, or one that is none: whoever asks says so. */
export async function askJson<T>(address: string, signal: AbortSignal): Promise<T | undefined> {
  try {
    const response = await fetch(address, { signal })
    return response.ok ? ((await response.json()) as T) : undefined
  } catch {
    return undefined // broken off, or the server could not be reached
  }
}
