"use client"

import { type RefObject, useLayoutEffect, useRef, useState } from "react"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { fittingNames } from "./fitting-names.ts"
import styles from "./trace-table.module.css"

/** Of the square before a name, with its margin, as in `service-name.module.css`. */
const SQUARE_PX = 14
/** Of a character and of the line, where they cannot be measured: on the server, and until the page is hydrated. */
const CHARACTER_PX = 7.5
const LINE_PX = 216

interface ServiceNamesProps {
  readonly names: readonly string[]
  readonly colours: ReadonlyMap<string, number>
}

/** The services of a trace: whole names, as many as fit into the line, and the number of the rest. */
export function ServiceNames({ names, colours }: ServiceNamesProps) {
  const line = useRef<HTMLSpanElement>(null)
  const count = useFittingCount(line, names)
  const others = names.slice(count).map(shownName)
  return (
    <span ref={line} className={styles.names}>
      {names.slice(0, count).map((name) => (
        <span key={name} className={styles.one}>
          <ServiceName name={name} colour={colours.get(name)} />
        </span>
      ))}
      {others.length > 0 && (
        <span className={styles.more} title={others.join(", ")} data-more={`+${others.length}`}>
          <span aria-hidden="true">+{others.length}</span>
          <span className="visually-hidden">and {others.join(", ")}</span>
        </span>
      )}
    </span>
  )
}

function useFittingCount(line: RefObject<HTMLSpanElement | null>, names: readonly string[]): number {
  const [measured, setMeasured] = useState<{ readonly names: readonly string[]; readonly count: number }>()
  useLayoutEffect(() => {
    const element = line.current
    if (element === null) return undefined
    const measure = () => {
      // A line that is not shown has no width.
      if (element.clientWidth > 0) setMeasured({ names, count: countIn(element, names) })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [line, names])
  if (measured?.names === names) return measured.count
  return fitting(names, LINE_PX, (text) => text.length * CHARACTER_PX)
}

function countIn(element: HTMLElement, names: readonly string[]): number {
  const { fontFamily, fontSize, fontWeight } = getComputedStyle(element)
  // Not `font`, which is empty where it cannot say all, such as digits of equal width.
  const font = `${fontWeight} ${fontSize} ${fontFamily}`
  return fitting(names, element.clientWidth, (text) => widthOf(text, font))
}

function fitting(names: readonly string[], room: number, width: (text: string) => number): number {
  return fittingNames(
    names.map((name) => SQUARE_PX + Math.ceil(width(shownName(name)))),
    room,
    width,
  )
}

let canvas: CanvasRenderingContext2D | null = null
/** By font and text: the rows of a list have the same few services. */
const widths = new Map<string, number>()
const WIDTH_LIMIT = 1_000

function widthOf(text: string, font: string): number {
  const key = `${font} ${text}`
  const known = widths.get(key)
  if (known !== undefined) return known
  canvas ??= document.createElement("canvas").getContext("2d")
  if (canvas === null) return text.length * CHARACTER_PX
  canvas.font = font
  const { width } = canvas.measureText(text)
  if (widths.size >= WIDTH_LIMIT) widths.clear()
  widths.set(key, width)
  return width
}
