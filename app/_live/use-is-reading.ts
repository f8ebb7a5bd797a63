"use client"

import { type RefObject, useEffect, useRef, useState } from "react"

export interface Reading {
  /** Ref of the part of the page that must not move. */
  readonly area: RefObject<HTMLDivElement | null>
  /** Ref of an empty element at its top, which leaves the viewport when the user scrolls. */
  readonly top: RefObject<HTMLDivElement | null>
  readonly reading: boolean
}

/** Whether the user is reading a part of the page: it is hovered, has focus or a selection, or is scrolled. */
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
    // After a touch the pointer still counts as inside, so only mouse and pen hover.
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
