"use client"

import { useSyncExternalStore } from "react"

const never = () => () => {}

/**
 * False on the server and while hydrating. What needs a `style` waits for it: set by script it is allowed, but as an
 * attribute in HTML the content security policy refuses it.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
