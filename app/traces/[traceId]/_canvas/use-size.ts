"use client"

import { type RefObject, useEffect, useState } from "react"

export interface Size {
  readonly width: number
  readonly height: number
}

const NOTHING: Size = { width: 0, height: 0 }

/** Of an element's inside, in CSS pixels, as it changes; nothing until it is shown. */
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
