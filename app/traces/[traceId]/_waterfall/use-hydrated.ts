"use client"

import { useSyncExternalStore } from "react"

const never = () => () => {}

/**
 * False on the server and during hydration. Elements with a `style` wait for it: the content security policy blocks style
 * attributes in HTML, but allows styles set by script.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
