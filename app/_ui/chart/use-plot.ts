"use client"

import { type RefObject, useEffect, useRef } from "react"
import uPlot from "uplot"
import type { Zone } from "#app/_ui/format/zone.ts"
import { colourReader, onSchemeChange } from "./chart-colours.ts"
import { type ChartData, positionOfInterval } from "./chart-data.ts"
import { plotData, type PlotEvents, plotOptions } from "./plot-options.ts"
import { type Marked, ordered } from "./use-brush-keys.ts"

/**
 * Draws the chart on a canvas inside the element, which sets its size. New data or a new colour scheme creates a new plot, which
 * takes less than a frame.
 */
export function usePlot(
  element: RefObject<HTMLDivElement | null>,
  data: ChartData,
  marked: Marked | undefined,
  zone: Zone,
  events: PlotEvents,
): void {
  const latest = useRef(events)
  const drawn = useRef<uPlot>(undefined)
  useEffect(() => {
    latest.current = events
  })
  const canBrush = events.brushed !== undefined

  useEffect(() => {
    const host = element.current
    if (host === null) return undefined
    const forwarded: PlotEvents = {
      pointed: (index) => latest.current.pointed(index),
      brushed: canBrush ? (first, last) => latest.current.brushed?.(first, last) : undefined,
    }
    const size = () => ({ width: Math.max(1, host.clientWidth), height: Math.max(1, host.clientHeight) })
    const draw = (): void => {
      drawn.current?.destroy()
      drawn.current = new uPlot(plotOptions(data, zone, size(), colourReader(host), forwarded), plotData(data), host)
    }
    draw()
    const stopWatching = onSchemeChange(draw)
    const fit = () => {
      const { width, height } = size()
      if (width !== drawn.current?.width || height !== drawn.current.height) drawn.current?.setSize({ width, height })
    }
    let frame = 0
    // Not in the callback: what is drawn may change the size of the element again, which WebKit reports as an error of the page.
    const resized = new ResizeObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(fit)
    })
    resized.observe(host)
    return () => {
      stopWatching()
      resized.disconnect()
      cancelAnimationFrame(frame)
      drawn.current?.destroy()
      drawn.current = undefined
    }
  }, [element, data, zone, canBrush])

  useEffect(() => {
    const plot = drawn.current
    if (plot === undefined) return
    const [first, last] = marked === undefined ? [0, -1] : ordered(marked)
    const left = plot.valToPos(positionOfInterval(data.x, first), "x")
    const width = plot.valToPos(positionOfInterval(data.x, last + 1), "x") - left
    plot.setSelect({ left, width, top: 0, height: marked === undefined ? 0 : plot.over.clientHeight }, false)
  }, [data, marked])
}
