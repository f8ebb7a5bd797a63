"use client"

import { type RefObject, useEffect, useState } from "react"

export interface Size {
  readonly width: number
  readonly height: number
}

const NOTHING: Size = { width: 0, height: 0 }

/** Inner size of an element in CSS pixels; zero before mount. */
export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState(NOTHING)
  useEffect(() => {
    const watched = element.current
    if (watched === null) return undefined
    const observer = new ResizeObserver(() => setSize({ width: watched.clientWidth, height: watched.clientHeight }))
    observer.observe(watched)
    return () => observer.disconnect()
  }, [element])
  return size
}
