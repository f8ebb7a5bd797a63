import { type RefObject, useEffect, useRef } from "react"

/** How near an element is loaded, in pixels beyond the viewport. */
const NEAR_PX = 600

/**
 * Calls `load` when the user scrolls near an end of a list, and again if it is still near once the page behind it is another.
 *
 * @param element at that end.
 * @param page identifies what would be loaded; `undefined` while nothing is to be loaded.
 */
export function useApproach(
  element: RefObject<HTMLElement | null>,
  page: string | undefined,
  load: () => Promise<void>,
): void {
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  useEffect(() => {
    if (element.current === null || page === undefined) return undefined
    const options = { rootMargin: `${NEAR_PX}px`, scrollMargin: `${NEAR_PX}px` }
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void latest.current(), options)
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, page])
}
