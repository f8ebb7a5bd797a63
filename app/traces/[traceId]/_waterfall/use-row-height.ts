"use client"

import { useSyncExternalStore } from "react"

/** Pixels. `waterfall-grid.module.css` sets the same: a row is one line on a wide screen, two on a narrow one. */
const WIDE = 26
const NARROW = 46
const NARROW_SCREEN = "(max-width: 720px)"

function watch(changed: () => void): () => void {
  const media = matchMedia(NARROW_SCREEN)
  media.addEventListener("change", changed)
  return () => media.removeEventListener("change", changed)
}

export function useRowHeight(): number {
  return useSyncExternalStore(
    watch,
    () => (matchMedia(NARROW_SCREEN).matches ? NARROW : WIDE),
    () => WIDE,
  )
}
