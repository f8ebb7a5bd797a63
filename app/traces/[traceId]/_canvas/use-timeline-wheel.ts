"use client"

import { type RefObject, useEffect, useRef } from "react"
import { panned, type TimeWindow, zoomed } from "../_state/time-window.ts"

const WHEEL_STEP = 0.8
const NOTCH = 100

/** Over the timeline, the wheel zooms with Ctrl or ⌘ and pans horizontally. Otherwise it scrolls. */
export function useTimelineWheel(
  scroller: RefObject<HTMLElement | null>,
  window: TimeWindow,
  duration: number,
  change: (window: TimeWindow) => void,
): void {
  const latest = useRef({ window, duration, change })
  useEffect(() => {
    latest.current = { window, duration, change }
  })
  useEffect(() => {
    const element = scroller.current
    const listener = (event: WheelEvent) => {
      const zooms = event.ctrlKey || event.metaKey
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
      if (!zooms && !sideways) return
      event.preventDefault()
      const now = latest.current
      if (zooms) {
        const at = timeUnder(event, element, now.window)
        now.change(zoomed(now.window, WHEEL_STEP ** (-event.deltaY / NOTCH), at, now.duration))
      } else now.change(panned(now.window, (event.deltaX || event.deltaY) / 1_000, now.duration))
    }
    element?.addEventListener("wheel", listener, { passive: false })
    return () => element?.removeEventListener("wheel", listener)
  }, [scroller])
}

function timeUnder(event: WheelEvent, scroller: HTMLElement | null, window: TimeWindow): number {
  const axis = scroller?.querySelector("[data-axis]")?.getBoundingClientRect()

  if (axis === undefined || axis.width === 0) return (window.from + window.to) / 2
  const share = Math.min(1, Math.max(0, (event.clientX - axis.left) / axis.width))
  return window.from + share * (window.to - window.from)
}
