"use client"

import { type RefObject, useEffect } from "react"

/** Focuses an input when a key is pressed outside of any input. Without a key it does nothing. */
export function useFocusKey(key: string | undefined, input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select")
      if (event.key !== key || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [key, input])
}
