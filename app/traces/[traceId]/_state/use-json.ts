"use client"

import { useEffect, useState } from "react"

/** Result of a read API request; `undefined` without a request. */
export type JsonResult<T> = { readonly value: T } | "loading" | "failed" | undefined

/**
 * Fetches JSON, and again when the address changes. Aborts a request that is no longer needed.
 *
 * @param address `undefined` sends no request.
 * @param delayMs delay before the request in milliseconds, for addresses that change with every key press.
 */
export function useJson<T>(address: string | undefined, delayMs = 0): JsonResult<T> {
  return useFetched<T>(address, readJson, delayMs)
}

const readJson = (response: Response) => response.json()

/**
 * As `useJson`, for a response of another format.
 *
 * @param read the same function at each call.
 */
export function useFetched<T>(
  address: string | undefined,
  read: (response: Response) => Promise<T>,
  delayMs = 0,
): JsonResult<T> {
  const [answer, setAnswer] = useState<{ readonly address: string; readonly value: T | undefined }>()
  useEffect(() => {
    if (address === undefined) return undefined
    const stop = new AbortController()
    const load = async () => {
      const value = await fetchWith(read, address, stop.signal)
      if (!stop.signal.aborted) setAnswer({ address, value })
    }
    const timer = setTimeout(() => void load(), delayMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [address, read, delayMs])
  if (address === undefined) return undefined
  if (answer?.address !== address) return "loading"
  return answer.value === undefined ? "failed" : { value: answer.value }
}

/** `undefined` when the request fails. */
export function fetchJson<T>(address: string, signal: AbortSignal): Promise<T | undefined> {
  return fetchWith<T>(readJson, address, signal)
}

async function fetchWith<T>(
  read: (response: Response) => Promise<T>,
  address: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    const response = await fetch(address, { signal })
    return response.ok ? await read(response) : undefined
  } catch {
    return undefined // aborted, or the server cannot be reached
  }
}
