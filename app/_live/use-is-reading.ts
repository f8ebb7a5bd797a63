"use client"

import { type RefObject, useEffect, useRef, useState } from "react"

export interface Reading {
  /** Put on the part of the page that must hold still. */
  readonly area: RefObject<HTMLDivElement | null>
  /** Put on an empty element at its top: out of sight means that the reader has scrolled. */
  readonly top: RefObject<HTMLDivElement | null>
  readonly reading: boolean
}

/** Whether somebody is at a place of the page: the pointer is over it, the keyboard is in it, text of it is selected, or it is scrolled. */
export function useIsReading(): Reading {
  const area = useRef<HTMLDivElement>(null)
  const top = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  const [selected, setSelected] = useState(false)
  const [scrolled, setScrolled] = useState(false)

  useEffect(() => {
    const element = area.current
    if (element === null) return undefined
    const stop = new AbortController()
    const listen = (event: string, act: (event: Event) => void) =>
      element.addEventListener(event, act, { signal: stop.signal })
    // A finger that has left the glass still counts as over the place that it touched: only a mouse or pen points.
    listen("pointerenter", (event) => setPointed((event as PointerEvent).pointerType !== "touch"))
    listen("pointerleave", () => setPointed(false))
    listen("focusin", ({ target }) => setFocused(target instanceof Element && target.matches(":focus-visible")))
    listen("focusout", () => setFocused(false))
    const onSelection = () => {
      const selection = document.getSelection()
      setSelected(selection?.isCollapsed === false && element.contains(selection.anchorNode))
    }
    document.addEventListener("selectionchange", onSelection, { signal: stop.signal })
    return () => stop.abort()
  }, [])

  useEffect(() => {
    if (top.current === null) return undefined
    const observer = new IntersectionObserver(([entry]) => setScrolled(entry?.isIntersecting === false))
    observer.observe(top.current)
    return () => observer.disconnect()
  }, [])

  return { area, top, reading: pointed || focused || selected || scrolled }
}
