"use client"

import { type PointerEvent, type RefObject, useEffect, useRef, useState } from "react"
import { isWhole, panned, type TimeWindow, within, zoomed } from "../_state/time-window.ts"

/** Zoom factor per notch of the wheel, and pixels per notch. */
const WHEEL_STEP = 0.8
const NOTCH = 100
/** A shorter drag is a click. */
const LEAST_DRAG = 4

type Grip = "new" | "move" | "from" | "to"

interface Drag {
  readonly grip: Grip
  /** Start of the drag, in nanoseconds. */
  readonly at: number
  readonly x: number
  readonly before: TimeWindow
}

export interface WindowGestures {
  /** Range being drawn; `undefined` without a drag. */
  readonly drawn: TimeWindow | undefined
  onPointerDown(event: PointerEvent<HTMLElement>): void
  onPointerMove(event: PointerEvent<HTMLElement>): void
  onPointerUp(event: PointerEvent<HTMLElement>): void
  onPointerCancel(): void
}

/**
 * Gestures of the minimap: a drag draws a new range, moves the current one or resizes it at its edges. The wheel zooms at the
 * pointer; horizontal scrolling pans.
 */
export function useWindowGestures(
  strip: RefObject<HTMLElement | null>,
  shown: TimeWindow,
  duration: number,
  change: (window: TimeWindow) => void,
): WindowGestures {
  const drag = useRef<Drag>(undefined)
  const [drawn, setDrawn] = useState<TimeWindow>()
  useWheel(strip, (event) => {
    const at = timeAt(strip.current, event.clientX, duration)
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) change(panned(shown, event.deltaX / 500, duration))
    else change(zoomed(shown, WHEEL_STEP ** (-event.deltaY / NOTCH), at, duration))
  })

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const at = timeAt(strip.current, event.clientX, duration)
    drag.current = { grip: gripOf(event.target, shown, duration), at, x: event.clientX, before: shown }
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const { grip, at, before } = drag.current ?? {}
    if (grip === undefined || at === undefined || before === undefined) return
    const now = timeAt(strip.current, event.clientX, duration)
    if (grip === "new") setDrawn({ from: Math.min(at, now), to: Math.max(at, now) })
    else if (grip === "move") change(within({ from: before.from + now - at, to: before.to + now - at }, duration))
    else if (grip === "from") change(within({ from: Math.min(now, before.to), to: before.to }, duration))
    else change(within({ from: before.from, to: Math.max(now, before.from) }, duration))
  }
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    const begun = drag.current
    drag.current = undefined
    setDrawn(undefined)
    if (begun?.grip !== "new" || Math.abs(event.clientX - begun.x) < LEAST_DRAG) return
    const now = timeAt(strip.current, event.clientX, duration)
    change(within({ from: Math.min(begun.at, now), to: Math.max(begun.at, now) }, duration))
  }
  const onPointerCancel = () => {
    drag.current = undefined
    setDrawn(undefined)
  }
  return { drawn, onPointerDown, onPointerMove, onPointerUp, onPointerCancel }
}

function gripOf(target: EventTarget, shown: TimeWindow, duration: number): Grip {
  const grip = target instanceof Element ? target.closest<HTMLElement>("[data-grip]")?.dataset["grip"] : undefined
  return grip === undefined || isWhole(shown, duration) ? "new" : (grip as Grip)
}

function timeAt(strip: HTMLElement | null, x: number, duration: number): number {
  const box = strip?.getBoundingClientRect()
  if (box === undefined || box.width === 0) return 0
  return Math.min(1, Math.max(0, (x - box.left) / box.width)) * duration
}

/** Listens with `passive: false`, which React does not, to prevent scrolling of the page. */
function useWheel(element: RefObject<HTMLElement | null>, act: (event: WheelEvent) => void): void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  useEffect(() => {
    const watched = element.current
    const listener = (event: WheelEvent) => {
      event.preventDefault()
      latest.current(event)
    }
    watched?.addEventListener("wheel", listener, { passive: false })
    return () => watched?.removeEventListener("wheel", listener)
  }, [element])
}
